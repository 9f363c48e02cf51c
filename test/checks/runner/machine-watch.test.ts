import { expect, test } from "vitest";
import { eventually } from "../../harness/eventually.ts";
import { MachineWatch } from "./machine-watch.ts";

test.each([
  ["takes long", (resume: Promise<void>) => resume],
  ["fails", () => Promise.reject(new Error("no primary"))],
])("reports a standstill while and after the database %s, but not for later times", async (_what, standStill) => {
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
});
