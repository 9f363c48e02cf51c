import { expect, test } from "vitest";
import { partitionCount } from "#shared/nats/event-stream.ts";
import { latencyClassLimits } from "./latency-class-limits.ts";
import { idleBatchSize } from "./pull-partition.ts";

test.each([32, 33, 47, 63, 64, 256, 10_000])(
  "leaves an eighth of %i slots for fast stores when idle pulls and the other classes use all of theirs",
  (concurrencyMax) => {
    const { slowMax, unknownMax } = latencyClassLimits(concurrencyMax);
    const used = slowMax + unknownMax + partitionCount * idleBatchSize(concurrencyMax);
    expect(concurrencyMax - used).toBeGreaterThanOrEqual(concurrencyMax / 8);
  },
);
