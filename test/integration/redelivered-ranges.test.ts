import { spawn } from "node:child_process";
import { once } from "node:events";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { expect, onTestFinished, test, vi } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { dayMs } from "#shared/time/day.ts";
import { countWeek } from "../../services/registry/deliveries/delivery-log.ts";
import { interruptEvents } from "../../services/registry/mongo/backup/interrupt-events.ts";
import { MongoCertificateLookup } from "../../services/registry/mongo/certificates/mongo-certificate-lookup.ts";
import { MongoDeliveryLog } from "../../services/registry/mongo/deliveries/mongo-delivery-log.ts";
import { certctlVariables } from "../harness/certctl-variables.ts";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { waitingEvents } from "../harness/outbox-events.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { certctlProgram, runCertctl } from "../harness/run-certctl.ts";
import { createStoreWithWebhook, createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const { database, deliveries, inspection, issuing, lifecycle, notifier } = registry;

const { DELIVERED, REFUSED } = OutcomeKind;

/** Earlier than everything in these tests. Not as early as 1970: the database deletes what is older than it is kept. */
const anHourAgo = () => new Date(Date.now() - 3_600_000);

/** Settles all waiting events of a store, each with the outcome for its index. @returns their ids, oldest first */
async function settleAll(storeId: string, kindOf: (index: number) => OutcomeKind): Promise<string[]> {
  const waiting = await waitingEvents(database, storeId);
  const claims = waiting.map(({ id, type, certificateId, requestedBy }) => {
    return { eventId: id, storeId, certificateId, type: EventType[type as keyof typeof EventType], requestedBy };
  });
  for (let from = 0; from < claims.length; from += 100)
    await notifier.claimDeliveries({ notifierId: "test", claims: claims.slice(from, from + 100) });
  const startMs = Date.now() - 1_000 * waiting.length;
  await database.collections.deliveries.bulkWrite(
    waiting.map(({ id }, index) => ({
      updateOne: { filter: { _id: id }, update: { $set: { claimedAt: new Date(startMs + index) } } },
    })),
  );
  const outcomes = waiting.map(({ id }, index) => ({ eventId: id, kind: kindOf(index), httpStatus: 500 }));
  for (let from = 0; from < outcomes.length; from += 100)
    await notifier.recordOutcomes({ outcomes: outcomes.slice(from, from + 100) });
  return waiting.map(({ id }) => id);
}

/** Issues certificates in a new store with a webhook, and settles their events. @returns the store and the event ids */
async function storeWithEvents(count: number, kindOf: (index: number) => OutcomeKind) {
  const { storeId } = await createStoreWithWebhook(registry);
  for (let left = count; left > 0; left -= 100) {
    const items = Array.from({ length: Math.min(left, 100) }, () => issueItem());
    await issuing.issueCertificates({ items }, inStore(storeId));
  }
  return { storeId, eventIds: await settleAll(storeId, kindOf) };
}

const certificatesOf = async (storeId: string) =>
  (await waitingEvents(database, storeId)).map(({ certificateId }) => certificateId);

test("selects deliveries by event, by serial number and by failure, and shows no other store's", async () => {
  const { storeId, eventIds } = await storeWithEvents(4, (index) => (index === 1 ? DELIVERED : REFUSED));
  const [, second] = (await inspection.findCertificates({}, inStore(storeId))).certificates;
  await lifecycle.revokeCertificate(
    { certificateId: String(second?.id), cause: RevocationCause.IN_APP, reason: "Lost" },
    inStore(storeId),
  );
  const [revoked = ""] = await settleAll(storeId, () => REFUSED);
  const list = async (query: object) => {
    const { deliveries: found } = await inspection.listDeliveries(query, inStore(storeId));
    return found.map(({ eventId }) => eventId).toSorted();
  };
  expect(await list({ event: EventType.REVOKED })).toEqual([revoked]);
  expect(await list({ serial: "00002" })).toEqual([eventIds[1], revoked].toSorted());
  expect(await list({ serial: "2", event: EventType.REVOKED, failedOnly: true })).toEqual([revoked]);
  expect(await list({ serial: "77" })).toEqual([]);
  expect(await list({ failedOnly: true, event: EventType.ISSUED })).toEqual(
    eventIds.filter((_, index) => index !== 1).toSorted(),
  );
  const { storeId: other } = await createStoreWithWebhook(registry);
  expect((await inspection.listDeliveries({ serial: "2" }, inStore(other))).deliveries).toEqual([]);
  for (const [query, message] of [
    [{ failedOnly: true, outcome: REFUSED }, "outcome is not allowed with failed_only"],
    [{ serial: "1", certificateId: "crt_1" }, "serial is not allowed with certificate_id"],
    [{ event: 99 as EventType }, "event is unknown"],
  ] as const)
    await expect(inspection.listDeliveries(query, inStore(storeId))).rejects.toThrow(message);
});

test("counts the selected events before they are sent, without test messages and redeliveries", async () => {
  const { storeId, eventIds } = await storeWithEvents(3, () => REFUSED);
  await deliveries.sendTestMessage({}, inStore(storeId));
  await deliveries.redeliverEvent({ eventId: eventIds[0] ?? "" }, inStore(storeId));
  await settleAll(storeId, () => REFUSED);
  const { counts, first, last, isPartial } = await deliveries.previewRedelivery(
    { deliveries: { failedOnly: true } },
    inStore(storeId),
  );
  expect(counts).toMatchObject([{ event: EventType.ISSUED, count: 3 }]);
  expect(isPartial).toBe(false);
  expect(first && last && timestampDate(last).getTime() - timestampDate(first).getTime()).toBe(2);
  expect(await waitingEvents(database, storeId)).toEqual([]);
});

test.each(["failed events", "all events"])(
  "sends %s once again if two calls with different keys select them at the same moment",
  async (which) => {
    const { storeId } = await storeWithEvents(5, () => REFUSED);
    const { findEvents } = MongoCertificateLookup.prototype;
    const { promise: bothHaveRead, resolve } = Promise.withResolvers<void>();
    let readers = 0;
    const held = vi.spyOn(MongoCertificateLookup.prototype, "findEvents").mockImplementation(async function (
      this: MongoCertificateLookup,
      ...args
    ) {
      readers += 1;
      if (readers === 2) resolve();
      await bothHaveRead;
      return findEvents.apply(this, args);
    });
    onTestFinished(() => held.mockRestore());
    const request = { deliveries: { failedOnly: which === "failed events", limit: 10 } };
    const send = (idempotencyKey: string) =>
      deliveries.redeliverEvents({ ...request, idempotencyKey }, inStore(storeId));
    const pages = await Promise.all([send("one"), send("two")]);
    expect(pages.map(({ queuedCount }) => queuedCount).toSorted()).toEqual([0, 5]);
    expect(await waitingEvents(database, storeId)).toHaveLength(5);
  },
);

test("sends the events of a range again, oldest first, in pages, and a repeated call queues nothing more", async () => {
  const { storeId } = await storeWithEvents(5, (index) => (index === 2 ? DELIVERED : REFUSED));
  const scope = inStore(storeId);
  const selection = { failedOnly: true, limit: 3, until: timestampFromDate(new Date()) };
  const first = { deliveries: selection, idempotencyKey: "range-0" };
  const page = await deliveries.redeliverEvents(first, scope);
  expect(page).toMatchObject({ queuedCount: 3, isFull: false });
  expect(await deliveries.redeliverEvents(first, scope)).toEqual(page);
  const rest = { deliveries: { ...selection, pageToken: page.nextPageToken }, idempotencyKey: "range-1" };
  const last = { queuedCount: 1, nextPageToken: "", isFull: false };
  expect(await Promise.all([1, 2].map(() => deliveries.redeliverEvents(rest, scope)))).toMatchObject([last, last]);
  const waiting = await waitingEvents(database, storeId);
  expect(waiting.map(({ id }) => id.slice(0, 4))).toEqual(["agn_", "agn_", "agn_", "agn_"]);
  const { certificates } = await inspection.findCertificates({}, scope);
  const failed = certificates.map(({ id }) => id).filter((_, index) => index !== 2);
  expect(await certificatesOf(storeId)).toEqual(failed);
  await expect(
    deliveries.redeliverEvents({ deliveries: { limit: 4 }, idempotencyKey: "range-0" }, scope),
  ).rejects.toThrow("[already_exists]");
});

test("stops while 200 messages of the store wait, and continues once they are sent", async () => {
  const { storeId } = await storeWithEvents(210, () => REFUSED);
  const scope = inStore(storeId);
  const sent = new Set<string>();
  let pageToken = "";
  for (let call = 0, isFull = false; call === 0 || pageToken !== "" || isFull; call += 1) {
    expect(call).toBeLessThan(20);
    const queued = await deliveries.redeliverEvents({ deliveries: { limit: 100, pageToken } }, scope);
    ({ nextPageToken: pageToken, isFull } = queued);
    const waiting = await certificatesOf(storeId);
    expect(waiting.length).toBeLessThanOrEqual(200);
    for (const id of waiting) sent.add(id);
    if (isFull) await settleAll(storeId, () => DELIVERED);
  }
  expect(sent.size).toBe(210);
  const { counts } = await deliveries.previewRedelivery({ deliveries: {} }, scope);
  expect(counts).toMatchObject([{ count: 210 }]);
});

test("counts the events of each type on seven days, without manual sends", async () => {
  const { storeId, eventIds } = await storeWithEvents(3, () => REFUSED);
  await deliveries.redeliverEvent({ eventId: eventIds[0] ?? "" }, inStore(storeId));
  await settleAll(storeId, () => DELIVERED);
  const start = new Date(Date.now() - 6.5 * dayMs);
  const early = new Date(start.getTime() + dayMs / 2);
  await database.collections.deliveries.updateOne({ _id: eventIds[1] ?? "" }, { $set: { claimedAt: early } });
  const request = { since: timestampFromDate(start), events: [EventType.ISSUED, EventType.TRANSFERRED] };
  const { weeks } = await inspection.countWeek(request, inStore(storeId));
  expect(weeks).toMatchObject([
    { event: EventType.ISSUED, counts: [1, 0, 0, 0, 0, 0, 2] },
    { event: EventType.TRANSFERRED, counts: [0, 0, 0, 0, 0, 0, 0] },
  ]);
  await expect(inspection.countWeek({ ...request, events: [] }, inStore(storeId))).rejects.toThrow("events must have");
  // More events than one scan counts are counted with a scan for each type and day.
  const log = new MongoDeliveryLog(database.collections.deliveries);
  const days = { storeId, types: request.events, since: start, dayCount: 7 };
  expect(await log.countDays({ ...days, countMax: 3 })).toEqual(weeks.map(({ counts }) => counts));
  expect(await log.countDays({ ...days, countMax: 2 })).toBeUndefined();
  const counted = await countWeek(log, { storeId, types: request.events, since: start }, 2);
  expect(counted.weeks.map(({ counts }) => counts)).toEqual(weeks.map(({ counts }) => counts));
});

test("a scan of a week ends although most of its events are of types that are not counted", async () => {
  const { storeId, eventIds } = await storeWithEvents(2, () => REFUSED);
  const [event] = await database.collections.deliveries.find({ _id: eventIds[0] ?? "" }).toArray();
  if (event === undefined) throw new Error("the delivery is missing");
  const others = Array.from({ length: 20 }, (_, index) => ({
    ...event,
    _id: `${event._id}${index}`,
    type: EventType.REVOKED,
  }));
  await database.collections.deliveries.insertMany(others);
  const log = new MongoDeliveryLog(database.collections.deliveries);
  const since = new Date(Date.now() - 6.5 * dayMs);
  const week = { storeId, types: [EventType.ISSUED], since };
  const counts = [0, 0, 0, 0, 0, 0, 2];
  expect(await log.countDays({ ...week, dayCount: 7, countMax: 22 })).toEqual([counts]);
  expect(await log.countDays({ ...week, dayCount: 7, countMax: 21 })).toBeUndefined();
  expect(await countWeek(log, week, 21)).toEqual({ weeks: [{ type: EventType.ISSUED, counts }], isPartial: true });
  // The caller leaves after the first scan.
  const leftMs = vi.fn<() => number>().mockReturnValueOnce(60_000);
  leftMs.mockImplementation(() => {
    throw new Error("left");
  });
  const countEach = vi.spyOn(log, "countEach");
  await expect(countWeek(log, { ...week, remainingMs: leftMs }, 21)).rejects.toThrow("left");
  expect([leftMs.mock.calls.length, countEach.mock.calls.length]).toEqual([2, 0]);
});

test("the events of a busy day are all counted, unless the store has too many for one scan", async () => {
  const { storeId, eventIds } = await storeWithEvents(1, () => REFUSED);
  const event = await database.collections.deliveries.findOne({ _id: eventIds[0] ?? "" });
  if (event === null) throw new Error("the delivery is missing");
  const others = Array.from({ length: 1_200 }, (_, index) => ({ ...event, _id: `${event._id}${index}` }));
  await database.collections.deliveries.insertMany(others);
  const since = new Date(Date.now() - 6.5 * dayMs);
  const request = { since: timestampFromDate(since), events: [EventType.ISSUED] };
  const counted = await inspection.countWeek(request, inStore(storeId));
  expect(counted).toMatchObject({ weeks: [{ counts: [0, 0, 0, 0, 0, 0, 1_201] }], isPartial: false });
  const log = new MongoDeliveryLog(database.collections.deliveries);
  const partial = await countWeek(log, { storeId, types: request.events, since }, 1_200);
  expect(partial).toMatchObject({ weeks: [{ counts: [0, 0, 0, 0, 0, 0, 1_000] }], isPartial: true });
});

test("refuses a range for a store without a webhook, and without a selection", async () => {
  const { storeId } = await storeWithEvents(1, () => REFUSED);
  await registry.admin.setWebhook({ url: "" }, inStore(storeId));
  await expect(deliveries.redeliverEvents({ deliveries: {} }, inStore(storeId))).rejects.toThrow(
    "No webhook URL is set.",
  );
  const other = await createTestStore(registry);
  await expect(deliveries.redeliverEvents({}, inStore(other))).rejects.toThrow("deliveries is missing");
});

test("a repeated series queues nothing twice, although a page of it had queued nothing", async () => {
  const { storeId, eventIds } = await storeWithEvents(4, () => REFUSED);
  const scope = inStore(storeId);
  // The events of the first page are no longer known.
  await database.collections.history.deleteMany({ _id: { $in: eventIds.slice(0, 2) } });
  const series = async () => {
    const pages = [];
    for (let page = 0, pageToken = ""; page === 0 || pageToken !== ""; page += 1) {
      const request = { deliveries: { limit: 2, pageToken, until: timestampFromDate(until) } };
      const queued = await deliveries.redeliverEvents({ ...request, idempotencyKey: `series-${page}` }, scope);
      pages.push(queued);
      pageToken = queued.nextPageToken;
    }
    return pages;
  };
  const until = new Date();
  const first = await series();
  expect(first.map(({ queuedCount }) => queuedCount)).toEqual([0, 2]);
  await settleAll(storeId, () => DELIVERED);
  // A delivery that is moved to the beginning of the range shows whether the first page runs again.
  await database.collections.deliveries.updateOne({ _id: eventIds[3] ?? "" }, { $set: { claimedAt: anHourAgo() } });
  expect(await series()).toEqual(first);
  expect(await waitingEvents(database, storeId)).toEqual([]);
});

test("calls at the same time queue at most 200 messages of the store together", async () => {
  // Different events, because an event is sent again by one of the calls only.
  const kinds = [DELIVERED, REFUSED, OutcomeKind.BLOCKED] as const;
  const { storeId } = await storeWithEvents(300, (index) => kinds[index % kinds.length] ?? DELIVERED);
  const calls = kinds.map((outcome) =>
    deliveries.redeliverEvents({ deliveries: { outcome, limit: 100 } }, inStore(storeId)),
  );
  const counts = (await Promise.all(calls)).map(({ queuedCount }) => queuedCount);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(200);
  expect((await waitingEvents(database, storeId)).length).toBe(200);
});

test("a preview counts events that follow more manual sends than it counts events", async () => {
  const { storeId, eventIds } = await storeWithEvents(1, () => REFUSED);
  const event = await database.collections.deliveries.findOne({ _id: eventIds[0] ?? "" });
  if (event === null) throw new Error("the delivery is missing");
  const sends = Array.from({ length: 10_001 }, (_, index) => ({ ...event, _id: `agn_${index}${event._id}` }));
  await database.collections.deliveries.insertMany(sends.map((send) => ({ ...send, claimedAt: anHourAgo() })));
  const { counts, isPartial } = await deliveries.previewRedelivery({ deliveries: {} }, inStore(storeId));
  expect([counts.map(({ count }) => count), isPartial]).toEqual([[1], false]);
});

test("an event that was sent again no longer counts as failed, unless its redelivery was not delivered", async () => {
  const { storeId, eventIds } = await storeWithEvents(3, () => REFUSED);
  const scope = inStore(storeId);
  const failed = async () => {
    const { deliveries: found } = await inspection.listDeliveries({ failedOnly: true }, scope);
    return found.map(({ eventId }) => eventId).filter((id) => id.startsWith("evt_"));
  };
  const redeliverFailed = async (idempotencyKey: string) =>
    (await deliveries.redeliverEvents({ deliveries: { failedOnly: true }, idempotencyKey }, scope)).queuedCount;
  const [first = "", second = "", third = ""] = eventIds;
  await deliveries.redeliverEvent({ eventId: first }, scope);
  expect(await redeliverFailed("one")).toBe(2);
  expect([await redeliverFailed("two"), await failed()]).toEqual([0, []]);
  expect((await deliveries.previewRedelivery({ deliveries: { failedOnly: true } }, scope)).counts).toEqual([]);
  // The list of an outcome shows what happened to each message.
  const refused = await inspection.listDeliveries({ outcome: REFUSED }, scope);
  expect(refused.deliveries.map(({ eventId }) => eventId).toSorted()).toEqual(eventIds.toSorted());
  await settleAll(storeId, (index) => [DELIVERED, REFUSED, OutcomeKind.SKIPPED][index] ?? DELIVERED);
  expect((await failed()).toSorted()).toEqual([second, third].toSorted());
  expect(await redeliverFailed("three")).toBe(2);
  await settleAll(storeId, () => DELIVERED);
  expect([await redeliverFailed("four"), await failed()]).toEqual([0, []]);
});

test("an event whose redelivery a restore has interrupted counts as failed again, and the log names the requester", async () => {
  const { storeId, eventIds } = await storeWithEvents(1, () => REFUSED);
  const [eventId = ""] = eventIds;
  await deliveries.redeliverEvent({ eventId }, inStore(storeId));
  await interruptEvents(database.collections, new Date());
  const { deliveries: logged } = await inspection.listDeliveries({}, inStore(storeId));
  expect(logged.map((one) => [one.eventId === eventId, one.requestedBy, one.outcome?.kind])).toEqual([
    [false, "unknown", OutcomeKind.INTERRUPTED],
    [true, "", REFUSED],
  ]);
  const { counts } = await deliveries.previewRedelivery({ deliveries: { failedOnly: true } }, inStore(storeId));
  expect(counts).toMatchObject([{ event: EventType.ISSUED, count: 1 }]);
});

test("certctl only counts a range without --yes, and an interrupted one continues with the printed options", async () => {
  const { storeId } = await storeWithEvents(205, (index) => (index === 0 ? DELIVERED : REFUSED));
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const range = ["event", "redeliver", "--outcome", "failed", "--since", since];
  const args = ["--registry", registry.address, "--store", storeId, ...range];
  expect(await runCertctl(...args)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^would send again 204 events \(204 issued\), with outcomes from .* --yes/),
  });
  expect(await waitingEvents(database, storeId)).toEqual([]);
  const running = spawn(process.execPath, [certctlProgram, ...args, "--yes"], {
    env: { ...process.env, ...certctlVariables(undefined) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let notes = "";
  running.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    notes += chunk;
  });
  const ended = once(running, "exit");
  // It pauses while so many messages wait.
  const isPaused = async () => expect(await waitingEvents(database, storeId)).toHaveLength(200);
  await eventually(isPaused, { everyMs: 100 });
  const continuing = /add: (--idempotency-key=\S+ --until \S+)\n/;
  await eventually(() => expect(notes).toMatch(continuing));
  running.kill();
  await ended;
  const sent = await certificatesOf(storeId);
  await settleAll(storeId, () => DELIVERED);
  const options = continuing.exec(notes)?.[1]?.split(" ") ?? [];
  const continued = await runCertctl(...args, "--yes", ...options);
  expect(continued).toMatchObject({ code: 0, out: "queued messages: 204\n" });
  sent.push(...(await certificatesOf(storeId)));
  expect([sent.length, new Set(sent).size]).toEqual([204, 204]);
}, 180_000);
