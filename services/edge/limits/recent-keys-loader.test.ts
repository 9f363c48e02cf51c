import { expect, test } from "vitest";
import { captureLog } from "#shared/observe/captured-log-fixture.ts";
import { ManualClock } from "#shared/time/manual-clock-fixture.ts";
import { recentKeysLoader } from "./recent-keys-loader.ts";

const day = 25 * 3_600;
const key = (byte: number) => new Uint8Array(32).fill(byte);

/**
 * Creates a loader with a clock that the test controls. `answer` sets the pages or the error that the registry returns.
 */
function startLoader() {
  const clock = new ManualClock();
  const asked: number[] = [];
  const known: (number | undefined)[] = [];
  const { logger, lines } = captureLog();
  let pages: readonly (readonly Uint8Array[])[] | Error = [];
  const loader = recentKeysLoader({
    registry: {
      async *recentKeys(withinSeconds) {
        asked.push(withinSeconds);
        if (pages instanceof Error) throw pages;
        yield* pages;
      },
    },
    keyGuard: { addKnown: (keys) => known.push(...Array.from(keys, ([byte]) => byte)) },
    clock,
    logger,
  });
  const settle = () => new Promise(setImmediate);
  return {
    loader,
    asked,
    known,
    lines,
    answer: (next: typeof pages) => {
      pages = next;
    },
    start: async () => {
      loader.start();
      await settle();
    },
    passPause: async () => {
      await clock.endSleep();
      return clock.now();
    },
  };
}

test("loads the keys used in the last 25 hours, then once a minute those used in the last few minutes", async () => {
  const { start, passPause, answer, asked, known } = startLoader();
  answer([[key(1), key(2)], [key(3)]]);
  await start();
  answer([[key(4)]]);
  expect(await passPause()).toBe(60_000);
  await passPause();
  expect(known).toEqual([1, 2, 3, 4, 4]);
  expect(asked).toEqual([day, 360, 360]);
});

test("retries a failed attempt, covers the time since the last success, and logs no message twice in a row", async () => {
  const { start, passPause, answer, asked, lines } = startLoader();
  answer(new Error("unavailable"));
  await start();
  const failedAt = [await passPause()];
  answer([]);
  const loadedAt = await passPause();
  failedAt.push(loadedAt);
  answer(new Error("unavailable"));
  expect(await passPause()).toBe(loadedAt + 60_000);
  const againAt = await passPause();
  expect(asked).toEqual([day, day, day, 360, 360 + Math.ceil((againAt - loadedAt - 60_000) / 1_000)]);
  // Edges that start together do not ask again together.
  expect(failedAt.map((at) => at % 1_000)).not.toEqual([0, 0]);
  expect(lines.map(({ msg }) => msg)).toEqual([
    "cannot load recently used keys; retrying",
    "loaded recently used keys",
    "cannot load recently used keys; retrying",
  ]);
});

test("stops without waiting for the end of a pause", async () => {
  const { loader, start, asked } = startLoader();
  await start();
  await loader.stop();
  expect(asked).toHaveLength(1);
});
