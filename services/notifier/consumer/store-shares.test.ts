import { expect, test } from "vitest";
import { partitionCount } from "#shared/nats/event-stream.ts";
import { idleShare } from "./pull-partition.ts";
import { storeShares } from "./store-shares.ts";

test.each([32, 33, 47, 63, 64, 256, 10_000])(
  "of %i slots an eighth is left for quick stores, whatever idle pulls and the others hold",
  (concurrencyMax) => {
    const { slowMax, unprovenMax } = storeShares(concurrencyMax);
    const held = slowMax + unprovenMax + partitionCount * idleShare(concurrencyMax);
    expect(concurrencyMax - held).toBeGreaterThanOrEqual(concurrencyMax / 8);
  },
);
