import { expect, test } from "vitest";
import type { EndCounts, StreamResult } from "./load-plan.ts";
import { evaluate, type Measurement } from "./verdict.ts";

const noEnds: EndCounts = {
  pages: 0,
  badRequests: 0,
  rateLimited: 0,
  unavailable: 0,
  otherStatus: 0,
  unanswered: 0,
  left: 0,
  unsent: 0,
};

const refused: EndCounts = { ...noEnds, unavailable: 1 };

function stream(changes: Partial<StreamResult> = {}): StreamResult {
  const latencies = { requests: 100, failed: 0, p50Ms: 5, p99Ms: 10 };
  return { name: "others", stores: [], pagesPerSecond: 10, ...latencies, lagMaxMs: 0, drainMs: 0, ...changes };
}

function measurementOf(changes: Partial<Measurement> = {}): Measurement {
  return {
    name: "a load",
    load: stream({ pagesPerSecond: 90, stores: [refused] }),
    others: stream(),
    places: [],
    relayStarts: 0,
    relayFailures: 0,
    stoodStill: false,
    changes: 1,
    changeCalls: "",
    busyMs: 0,
    processors: { idle: 1, otherPrograms: 0 },
    ...changes,
  };
}

const places = (admitted: number, ends: Partial<EndCounts>) => ({ admitted, counts: { ...noEnds, ...ends } });

function verdictOf(
  changes: Partial<Measurement> = {},
  { countsOnly = false, capacity = 100, steadyP99Ms = 10, steadyFailed = 0 } = {},
) {
  const measurement = measurementOf(changes);
  const steady = measurementOf({ others: stream({ p99Ms: steadyP99Ms, failed: steadyFailed }) });
  return evaluate([measurement, steady], [{ measurement, capacity, steady }], countsOnly);
}

test("accepts an overload with goodput at capacity and with the same latency for the other stores as at 80 % of the capacity", () => {
  expect(verdictOf()).toEqual({
    goodputRatio: 1,
    otherP99Ratio: 1,
    placesLost: 0,
    unadmitted: 0,
    relayLeasesLost: 0,
    judged: 2,
    relayFailures: 0,
    rateLimited: 0,
    othersFailed: 0,
    unexpected: 0,
    busyMs: 0,
    findings: [],
  });
});

test("reports goodput below 90 % of the capacity", () => {
  expect(verdictOf({}, { capacity: 111 }).findings).toEqual([]);
  expect(verdictOf({}, { capacity: 112 }).findings).toEqual(["a load: goodput is 0.89 of the capacity."]);
});

test("reports when the other stores' p99 is at least twice the p99 at 80 % of the capacity", () => {
  expect(verdictOf({}, { steadyP99Ms: 5.1 }).findings).toEqual([]);
  expect(verdictOf({}, { steadyP99Ms: 5 }).findings).toEqual([
    "a load: the other stores' p99 is 2.0 times that at 80 % of the capacity.",
  ]);
});

test("reports failed requests of other stores at 80 % of the capacity", () => {
  expect(verdictOf({}, { steadyFailed: 1 }).findings).toEqual([
    "a load: 1 of the other stores' 100 requests failed at 80 % of the capacity, so p99 is not comparable.",
  ]);
});

test("counts, per store, the rate-limit places used by requests that got neither a page nor a 400", () => {
  const stores = [places(12, { pages: 7, badRequests: 3, unavailable: 9 }), places(5, { pages: 5 })];
  expect(verdictOf({ places: stores })).toMatchObject({
    placesLost: 2,
    findings: ["a load: 2 places were used by requests that got neither a page nor a 400."],
  });
});

test("does not offset one store's lost place with another store's page that used no place", () => {
  const verdict = verdictOf({ places: [places(6, { pages: 5 }), places(4, { pages: 5 })] });
  expect(verdict).toMatchObject({ placesLost: 1, unadmitted: 1 });
  expect(verdict.findings).toHaveLength(2);
});

test("allows each client that disconnects to use at most one place", () => {
  for (const admitted of [3, 12])
    expect(verdictOf({ places: [places(admitted, { pages: 3, left: 9 })] }).findings).toEqual([]);
  expect(verdictOf({ places: [places(13, { pages: 3, left: 9, unavailable: 4 })] }).placesLost).toBe(1);
});

test("does not judge the relay's leases of a measurement during which the machine stood still", () => {
  const { relayLeasesLost, findings } = verdictOf(
    { relayStarts: 1, changes: 0, stoodStill: true },
    { countsOnly: true },
  );
  expect({ relayLeasesLost, findings }).toEqual({ relayLeasesLost: 0, findings: [] });
});

test.each<[string, Partial<Measurement>]>([
  ["the relay became the leader again", { relayStarts: 1 }],
  ["no change was confirmed", { changes: 0 }],
  ["the rate limit refused a request", { places: [places(0, { rateLimited: 1 })] }],
  ["a response had an unexpected status", { others: stream({ stores: [{ ...noEnds, otherStatus: 1 }] }) }],
  ["no other store was served", { others: stream({ failed: 100 }) }],
  ["no request of the load was refused", { load: stream({ pagesPerSecond: 90, stores: [noEnds] }) }],
])("with countsOnly, fails a run in which %s", (_what, changes) => {
  expect(verdictOf(changes, { countsOnly: true }).findings).toHaveLength(1);
});

test("with countsOnly, ignores rates and latencies", () => {
  const slow = { others: stream({ p99Ms: 9_999 }), busyMs: 20_000 };
  expect(verdictOf(slow, { countsOnly: true, capacity: 1_000 }).findings).toEqual([]);
  expect(verdictOf(slow, { capacity: 1_000 }).findings).toHaveLength(3);
});

test("fails a run in which the machine stood still in every measurement", () => {
  const measurement = measurementOf({ relayStarts: 1, changes: 0, stoodStill: true });
  const { judged, findings } = evaluate([measurement], [{ measurement, capacity: 100, steady: measurement }], true);
  expect(judged).toBe(0);
  expect(findings).toEqual(["The machine stood still in every measurement, so no relay's lease was judged."]);
});

test("fails a run without an overload", () => {
  expect(evaluate([measurementOf()], [], true).findings).toEqual(["The run contained no overload."]);
});
