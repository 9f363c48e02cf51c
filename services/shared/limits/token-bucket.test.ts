import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Bucket, chargeToken, returnToken, takeToken } from "./token-bucket.ts";

const policy = { capacity: 3, tokensPerSecond: 2 };

describe("a token bucket", () => {
  test.each<[tokens: number, elapsedMs: number, left: number, waitSeconds: number]>([
    [3, 0, 2, 0],
    [1, 0, 0, 0],
    [0, 0, 0, 1],
    [0, 499, 0.998, 1],
    [0, 500, 0, 0],
    [0, 750, 0.5, 0],
    [2, 60_000, 2, 0],
    [0, -5_000, 0, 1],
  ])(
    "with %f tokens and %i ms of refill has %f tokens after takeToken, which reports a wait of %i s",
    (tokens, elapsedMs, left, wait) => {
      const { bucket, waitSeconds } = takeToken(policy, { tokens, atMs: 10_000 }, 10_000 + elapsedMs);
      expect(bucket.tokens).toBeCloseTo(left);
      expect(waitSeconds).toBe(wait);
    },
  );

  test("with a slow refill reports the full wait, after which a token is available", () => {
    const slow = { capacity: 3, tokensPerSecond: 0.1 };
    const { waitSeconds } = takeToken(slow, { tokens: 0, atMs: 0 }, 2_500);
    expect(waitSeconds).toBe(8);
    expect(takeToken(slow, { tokens: 0, atMs: 0 }, 2_500 + 8_000).waitSeconds).toBe(0);
  });

  test("starts full and never exceeds its capacity", () => {
    expect(takeToken(policy, undefined, 0).bucket).toEqual({ tokens: 2, atMs: 0 });
    expect(returnToken(policy, { tokens: 2.5, atMs: 0 }, 0).tokens).toBe(3);
    expect(returnToken(policy, { tokens: 1, atMs: 0 }, 250).tokens).toBe(2.5);
  });

  test("can be charged even when empty, and then takes longer to refill", () => {
    const charged = chargeToken(policy, { tokens: 0.5, atMs: 0 }, 250);
    expect(charged).toEqual({ tokens: 0, atMs: 250 });
    const overdrawn = chargeToken(policy, chargeToken(policy, charged, 250), 250);
    expect(takeToken(policy, overdrawn, 250).waitSeconds).toBe(2);
    expect(takeToken(policy, overdrawn, 1_749).waitSeconds).toBe(1);
    expect(takeToken(policy, overdrawn, 1_750).waitSeconds).toBe(0);
  });

  test("never grants more tokens than its capacity plus the refill", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(2_000), { minLength: 1, maxLength: 200 }), (gaps) => {
        let bucket: Bucket | undefined;
        let nowMs = 0;
        let granted = 0;
        for (const gap of gaps) {
          nowMs += gap;
          const result = takeToken(policy, bucket, nowMs);
          bucket = result.bucket;
          if (result.waitSeconds === 0) granted++;
        }
        expect(granted).toBeLessThanOrEqual(policy.capacity + (nowMs * policy.tokensPerSecond) / 1_000);
      }),
    );
  });
});
