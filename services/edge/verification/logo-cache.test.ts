import { expect, test } from "vitest";
import { ServiceError } from "#shared/errors/service-error.ts";
import { LogoCache } from "./logo-cache.ts";

const removed = new ServiceError("not_found", "There is no such certificate.");
const minuteMs = 60_000;

function cacheOf(getLogo: () => Promise<Uint8Array>) {
  const state = { now: 0, calls: 0 };
  const registry = {
    getLogo: () => {
      state.calls++;
      return getLogo();
    },
  };
  const cache = new LogoCache(registry, { now: () => state.now, sleep: async () => undefined });
  return { cache, state };
}

test("a logo is read at most once a minute, even by concurrent requests", async () => {
  const { cache, state } = cacheOf(async () => Buffer.from("RIFF"));
  const [first, second] = await Promise.all([cache.find("lgo_1"), cache.find("lgo_1")]);
  expect(second).toBe(first);
  expect(first.plain.bytes.toString()).toBe("RIFF");
  state.now = minuteMs - 1;
  expect(await cache.find("lgo_1")).toBe(first);
  expect(state.calls).toBe(1);
});

test("stops serving a removed logo a minute after the last read", async () => {
  let answer = async (): Promise<Uint8Array> => Buffer.from("RIFF");
  const { cache, state } = cacheOf(() => answer());
  await cache.find("lgo_1");
  answer = () => Promise.reject(removed);
  state.now = minuteMs;
  await expect(cache.find("lgo_1")).rejects.toBe(removed);
});

test("does not cache a failure: the next request calls the registry again", async () => {
  let answer = (): Promise<Uint8Array> => Promise.reject(new ServiceError("unavailable", "Not now."));
  const { cache, state } = cacheOf(() => answer());
  await expect(cache.find("lgo_1")).rejects.toThrow("Not now.");
  answer = async () => Buffer.from("RIFF");
  expect((await cache.find("lgo_1")).contentType).toBe("image/webp");
  expect(state.calls).toBe(2);
});
