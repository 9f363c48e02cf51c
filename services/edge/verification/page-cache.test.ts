import { describe, expect, test } from "vitest";
import { ServiceError } from "#shared/errors/service-error.ts";
import { TokenBuckets } from "#shared/limits/token-buckets.ts";
import type { VerificationPage } from "../registry-client/verification-page.ts";
import { limitRendering } from "./limit-pages.ts";
import { LookUps } from "./look-ups.ts";
import { PageCache } from "./page-cache.ts";

const page: VerificationPage = {
  state: "active",
  storeName: "Linden Press",
  shop: "linden.example",
  verifyUrl: "https://x.example/t",
  language: "de",
  productTitle: "Poster",
  productVariant: "",
  serial: "000001",
  edition: "",
  editionParts: undefined,
  maker: "",
  changes: [],
  owner: "",
  revokedReason: "",
  issuedAt: new Date(0),
  expiresAt: undefined,
  revokedAt: undefined,
  isVerified: false,
};
const networks = ["192.0.2.1"];
const notFound = new ServiceError("not_found", "There is no such certificate.");

function cacheOf(answer: () => Promise<VerificationPage>, { lookupsMax = 10, pagesPerSecondMax = 100_000 } = {}) {
  const state = { now: 0, lookups: 0, renders: 0, shed: 0 };
  // To the cache, an entry that was made at 0 has no lifetime.
  const clock = { now: () => state.now + 1, sleep: async () => undefined };
  const unknownLinks = new TokenBuckets(clock, [{ capacity: 2, tokensPerSecond: 1 / 60 }], 10);
  const cache = new PageCache({
    registry: {
      getPage: () => {
        state.lookups++;
        return answer();
      },
    },
    render: () => `page ${++state.renders}`,
    limitRendering: limitRendering(pagesPerSecondMax, clock, () => void state.shed++),
    clock,
    lookUps: new LookUps({ unknownLinks, lookupsMax, onShed: () => void state.shed++ }),
  });
  return { cache, state };
}

const german = () => "de" as const;

describe("a page", () => {
  test("is read at most once a second, and rendered once per language while it does not change", async () => {
    const { cache, state } = cacheOf(async () => page);
    const first = await cache.rendition("t", networks, german);
    expect(await cache.rendition("t", networks, german)).toBe(first);
    state.now = 1_001;
    expect(await cache.rendition("t", networks, german)).toBe(first);
    await cache.rendition("t", networks, () => "fr");
    expect(state).toMatchObject({ lookups: 2, renders: 2 });
  });

  test("is rendered separately for the store that views it", async () => {
    const { cache, state } = cacheOf(async () => page);
    const shown = await cache.rendition("t", networks, german);
    const preview = await cache.rendition("t", networks, german, true);
    expect(preview.plain.etag).not.toBe(shown.plain.etag);
    expect(await cache.rendition("t", networks, german)).toBe(shown);
    expect(await cache.rendition("t", networks, german, true)).toBe(preview);
    expect(state).toMatchObject({ lookups: 1, renders: 2 });
  });

  test("is rendered again once it has changed", async () => {
    let answer = page;
    const { cache, state } = cacheOf(async () => answer);
    const first = await cache.rendition("t", networks, german);
    answer = { ...page, state: "revoked" };
    state.now = 1_001;
    expect((await cache.rendition("t", networks, german)).plain.etag).not.toBe(first.plain.etag);
  });

  test("is read once for concurrent requests", async () => {
    const { cache, state } = cacheOf(async () => page);
    await Promise.all(Array.from({ length: 1_000 }, () => cache.rendition("t", networks, german)));
    expect(state).toMatchObject({ lookups: 1, renders: 1 });
  });

  test("is read again for a request that arrives a second after a look-up began, even if that is still in progress", async () => {
    const replies: PromiseWithResolvers<VerificationPage>[] = [];
    const { cache, state } = cacheOf(() => {
      const reply = Promise.withResolvers<VerificationPage>();
      replies.push(reply);
      return reply.promise;
    });
    const find = (now: number) => {
      state.now = now;
      return cache.find("t", networks);
    };
    const early = [find(0), find(999)];
    const late = [find(1_000), find(1_500)];
    expect(state.lookups).toBe(2);
    replies[1]?.resolve({ ...page, state: "revoked" });
    expect(await Promise.all(late)).toMatchObject([{ state: "revoked" }, { state: "revoked" }]);
    replies[0]?.resolve(page);
    expect(await Promise.all(early)).toMatchObject([{ state: "active" }, { state: "active" }]);
    expect(await find(1_600)).toMatchObject({ state: "revoked" });
    expect(state.lookups).toBe(2);
  });

  test("is marked as verified by noteVerified, without another look-up", async () => {
    const { cache, state } = cacheOf(async () => page);
    await cache.rendition("t", networks, german);
    cache.noteVerified("t");
    expect((await cache.find("t", networks)).isVerified).toBe(true);
    await cache.rendition("t", networks, german);
    expect(state).toMatchObject({ lookups: 1, renders: 2 });
  });
});

test("remembers an unknown link for half a minute", async () => {
  const { cache, state } = cacheOf(() => Promise.reject(notFound));
  for (state.now of [0, 29_999]) await expect(cache.find("t", networks)).rejects.toThrow("no such certificate");
  expect(state.lookups).toBe(1);
  state.now = 30_001;
  await expect(cache.find("t", networks)).rejects.toThrow("no such certificate");
  expect(state.lookups).toBe(2);
});

test("limits how many unknown links a client may try, and counts neither known links nor failed look-ups", async () => {
  let answer = () => Promise.resolve(page);
  const { cache } = cacheOf(() => answer());
  for (const link of ["a", "b", "c"]) await cache.find(link, networks);
  answer = () => Promise.reject(new ServiceError("unavailable", "down"));
  await expect(cache.find("d", networks)).rejects.toThrow("down");
  answer = () => Promise.reject(notFound);
  for (const link of ["e", "f"]) await expect(cache.find(link, networks)).rejects.toMatchObject({ code: "not_found" });
  await expect(cache.find("g", networks)).rejects.toMatchObject({ code: "rate_limited" });
});

test("does not count valid links as unknown while their pages are being read", async () => {
  const { promise, resolve } = Promise.withResolvers<VerificationPage>();
  const { cache } = cacheOf(() => promise);
  const opened = Promise.all(["a", "b", "c", "d"].map((link) => cache.find(link, networks)));
  resolve(page);
  expect(await opened).toHaveLength(4);
});

test("a burst of unknown links can overdraw the budget, which delays the next permitted look-up", async () => {
  const { cache, state } = cacheOf(() => Promise.reject(notFound));
  const isLimited = async (link: string) => {
    const error: unknown = await cache.find(link, networks).catch((thrown) => thrown);
    return error instanceof ServiceError && error.code === "rate_limited";
  };
  expect(await Promise.all(["a", "b", "c", "d"].map(isLimited))).toEqual([false, false, false, false]);
  // The budget of two tokens is overdrawn by two, so the next look-up waits for three tokens: three minutes.
  for (const [now, limited] of [
    [0, true],
    [179_999, true],
    [180_000, false],
    [180_001, true],
  ] as const) {
    state.now = now;
    expect(await isLimited(`at ${now}`)).toBe(limited);
  }
});

test("refuses look-ups beyond the maximum, but not requests for cached pages", async () => {
  const { promise, resolve } = Promise.withResolvers<VerificationPage>();
  let answer = () => Promise.resolve(page);
  const { cache, state } = cacheOf(() => answer(), { lookupsMax: 1 });
  await cache.find("known", networks);
  answer = () => promise;
  const waiting = cache.find("a", networks);
  await expect(cache.find("b", networks)).rejects.toMatchObject({ code: "unavailable" });
  expect(state.shed).toBe(1);
  await cache.find("known", networks);
  resolve(page);
  expect((await waiting).productTitle).toBe("Poster");
  await cache.find("b", networks);
});

describe("pages that are not cached", () => {
  const open = (cache: PageCache, index: number, networks: readonly string[]) =>
    cache.rendition(`link-${index}`, networks, german).then(
      () => "shown",
      (error: unknown) => (error instanceof ServiceError ? error.code : String(error)),
    );

  test("are rendered for a network up to a limit; other networks and cached pages are served", async () => {
    const { cache, state } = cacheOf(async () => page);
    const outcomes = new Set<string>();
    for (let index = 0; index < 1_000; index++) outcomes.add(await open(cache, index, networks));
    expect(outcomes).toEqual(new Set(["shown", "rate_limited"]));
    expect(state.renders).toBe(300);
    expect(await open(cache, 0, networks)).toBe("shown");
    expect(await open(cache, 999, ["198.51.100.1"])).toBe("shown");
    state.now = 1_000;
    for (let index = 0; index < 300; index++) await open(cache, 1_000 + index, networks);
    expect(state.renders).toBe(301 + 20);
  });

  test("are rendered for all networks together up to a share of the pages per second, counted as shed", async () => {
    const { cache, state } = cacheOf(async () => page, { pagesPerSecondMax: 200 });
    const outcomes: string[] = [];
    for (let index = 0; index < 25; index++) outcomes.push(await open(cache, index, networks));
    // Ten in total, and five that are reserved for networks.
    expect(outcomes).toEqual([...Array(15).fill("shown"), ...Array(10).fill("unavailable")]);
    expect(state).toMatchObject({ renders: 15, shed: 10 });
  });
});
