import { expect, test } from "vitest";
import { eventually } from "../../harness/eventually.ts";
import { MachineWatch } from "./machine-watch.ts";

// Longer than the limit of `eventually`.
const timeout = 120_000;

test.each([
  ["takes long", (resume: Promise<void>) => resume],
  ["fails", () => Promise.reject(new Error("no primary"))],
])(
  "reports a standstill while and after the database %s, but not for later times",
  { timeout },
  async (_what, standStill) => {
    const pause = Promise.withResolvers<void>();
    let isPaused = false;
    const probe = async () => void (isPaused && (await standStill(pause.promise)));
    await using watch = new MachineWatch({ probe, limitMs: 300 });
    const untilItMoves = () => eventually(() => expect(watch.stoodStillSince(performance.now())).toBe(false));
    await untilItMoves();
    isPaused = true;
    const pausedAt = performance.now();
    await eventually(() => expect(watch.stoodStillSince(pausedAt)).toBe(true));
    isPaused = false;
    pause.resolve();
    await untilItMoves();
    expect(watch.stoodStillSince(pausedAt)).toBe(true);
  },
);

test("ends a run whose probes fail ten times in a row, with the reason, but not one with fewer failures", {
  timeout,
}, async () => {
  let probes = 0;
  let failures = 9;
  const probe = async () => {
    probes++;
    if (failures-- > 0) throw new Error("not authorized");
  };
  await using watch = new MachineWatch({ probe, limitMs: 60_000 });
  await eventually(() => expect(probes).toBeGreaterThan(10));
  expect(watch.signal.aborted).toBe(false);
  failures = 10;
  await eventually(() => expect(watch.signal.aborted).toBe(true));
  expect(watch.signal.reason).toMatchObject({ message: expect.stringMatching(/10 probes .* not authorized/) });
});
