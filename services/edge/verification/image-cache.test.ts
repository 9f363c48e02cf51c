import { expect, test } from "vitest";
import { ServiceError } from "#shared/errors/service-error.ts";
import { TokenBuckets } from "#shared/limits/token-buckets.ts";
import { createImageCache } from "./image-cache.ts";
import { LookUps } from "./look-ups.ts";

const networks = ["192.0.2.1"];
const removed = new ServiceError("not_found", "There is no such certificate.");
const minuteMs = 60_000;

function cacheOf(getImage: () => Promise<Uint8Array>) {
  const state = { now: 0, calls: 0 };
  const read = () => {
    state.calls++;
    return getImage();
  };
  // To the cache, an entry that was made at 0 has no lifetime.
  const clock = { now: () => state.now + 1, sleep: async () => undefined };
  const unknownLinks = new TokenBuckets(clock, [{ capacity: 2, tokensPerSecond: 1 / 3_600 }], 10);
  const cache = createImageCache({
    read,
    imagesMax: 10,
    clock,
    lookUps: new LookUps({ unknownLinks, lookupsMax: 10 }),
  });
  return { cache, state };
}

test("a logo is read at most once a minute, even for concurrent requests", async () => {
  const { cache, state } = cacheOf(async () => Buffer.from("RIFF"));
  const [first, second] = await Promise.all([cache.find("lgo_1", networks), cache.find("lgo_1", networks)]);
  expect(second).toBe(first);
  expect(first.plain.bytes.toString()).toBe("RIFF");
  state.now = minuteMs - 1;
  expect(await cache.find("lgo_1", networks)).toBe(first);
  expect(state.calls).toBe(1);
});

test("stops serving a removed logo a minute after the last read", async () => {
  let answer = async (): Promise<Uint8Array> => Buffer.from("RIFF");
  const { cache, state } = cacheOf(() => answer());
  await cache.find("lgo_1", networks);
  answer = () => Promise.reject(removed);
  state.now = minuteMs + 1;
  await expect(cache.find("lgo_1", networks)).rejects.toMatchObject({ code: "not_found" });
});

test("does not cache an outage: the next request calls the registry again", async () => {
  let answer = (): Promise<Uint8Array> => Promise.reject(new ServiceError("unavailable", "Not now."));
  const { cache, state } = cacheOf(() => answer());
  await expect(cache.find("lgo_1", networks)).rejects.toThrow("Not now.");
  answer = async () => Buffer.from("RIFF");
  expect((await cache.find("lgo_1", networks)).contentType).toBe("image/webp");
  expect(state.calls).toBe(2);
});

test("remembers an unknown logo for half a minute, and limits how many unknown logos a client may try", async () => {
  const { cache, state } = cacheOf(() => Promise.reject(removed));
  for (state.now of [0, 29_999]) await expect(cache.find("lgo_1", networks)).rejects.toThrow("no such certificate");
  expect(state.calls).toBe(1);
  await expect(cache.find("lgo_2", networks)).rejects.toMatchObject({ code: "not_found" });
  await expect(cache.find("lgo_3", networks)).rejects.toMatchObject({ code: "rate_limited" });
  expect(state.calls).toBe(2);
});
