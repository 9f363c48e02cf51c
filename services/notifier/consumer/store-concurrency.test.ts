import { expect, test } from "vitest";
import { partitionCount } from "#shared/nats/event-stream.ts";
import { idleBatchSize } from "./pull-partition.ts";
import {
  adjustAfterSkip,
  adjustConcurrency,
  initialConcurrency,
  latencyClassLimits,
  slowConcurrency,
} from "./store-concurrency.ts";

test.each([32, 33, 47, 63, 64, 256, 10_000])(
  "leaves at least an eighth of %i slots for fast stores if idle pulls and the other latency classes use their maximum",
  (concurrencyMax) => {
    const { slowMax, unknownMax } = latencyClassLimits(concurrencyMax);
    const used = slowMax + unknownMax + partitionCount * idleBatchSize(concurrencyMax);
    expect(concurrencyMax - used).toBeGreaterThanOrEqual(concurrencyMax / 8);
  },
);

test("doubles the limit after each fast delivery, up to the maximum, and reduces it to 1 after a slow delivery", () => {
  const [fastMs, slowMs] = [20, 8_000];
  let concurrency = initialConcurrency;
  const durations = [fastMs, fastMs, fastMs, slowMs, slowMs, fastMs, fastMs];
  const limits = durations.map((deliveryMs) => {
    concurrency = adjustConcurrency(concurrency, deliveryMs, 6);
    return concurrency.limit;
  });
  expect(limits).toEqual([4, 6, 6, 1, 1, 2, 4]);
});

test("a skipped event raises the limit, but leaves a slow store slow", () => {
  expect(adjustAfterSkip(initialConcurrency, 6)).toEqual({ limit: 4, latencyClass: "fast" });
  expect(adjustAfterSkip(slowConcurrency, 6)).toEqual(slowConcurrency);
});
