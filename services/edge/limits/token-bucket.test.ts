import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Bucket, returnToken, takeToken } from "./token-bucket.ts";

const policy = { capacity: 3, tokensPerSecond: 2 };

describe("a token bucket", () => {
  test.each<[tokens: number, passedMs: number, left: number, waitSeconds: number]>([
    [3, 0, 2, 0],
    [1, 0, 0, 0],
    [0, 0, 0, 1],
    [0, 499, 0.998, 1],
    [0, 500, 0, 0],
    [0, 750, 0.5, 0],
    [2, 60_000, 2, 0],
    [0, -5_000, 0, 1],
  ])("with %f tokens, after %i ms, has %f left and says to wait %i s", (tokens, passedMs, left, wait) => {
    const { bucket, waitSeconds } = takeToken(policy, { tokens, atMs: 10_000 }, 10_000 + passedMs);
    expect(bucket.tokens).toBeCloseTo(left);
    expect(waitSeconds).toBe(wait);
  });

  test("that fills slowly says so, and there is a token after that time", () => {
    const slow = { capacity: 3, tokensPerSecond: 0.1 };
    const { waitSeconds } = takeToken(slow, { tokens: 0, atMs: 0 }, 2_500);
    expect(waitSeconds).toBe(8);
    expect(takeToken(slow, { tokens: 0, atMs: 0 }, 2_500 + 8_000).waitSeconds).toBe(0);
  });

  test("is full at first, and never more than full", () => {
    expect(takeToken(policy, undefined, 0).bucket).toEqual({ tokens: 2, atMs: 0 });
    expect(returnToken(policy, { tokens: 2.5, atMs: 0 }, 0).tokens).toBe(3);
    expect(returnToken(policy, { tokens: 1, atMs: 0 }, 250).tokens).toBe(2.5);
  });

  test("never gives more than its capacity and what flowed in", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(2_000), { minLength: 1, maxLength: 200 }), (gaps) => {
        let bucket: Bucket | undefined;
        let nowMs = 0;
        let given = 0;
        for (const gap of gaps) {
          nowMs += gap;
          const answer = takeToken(policy, bucket, nowMs);
          bucket = answer.bucket;
          if (answer.waitSeconds === 0) given++;
        }
        expect(given).toBeLessThanOrEqual(policy.capacity + (nowMs * policy.tokensPerSecond) / 1_000);
      }),
    );
  });
});
