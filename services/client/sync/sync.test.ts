import { expect, test } from "vitest";
import type { Certificate } from "../certificate.ts";
import type { PageQuery } from "../certificate-filter.ts";
import { certificateFixture, timeAt } from "../client-fixture.ts";
import { ApiError } from "../errors.ts";
import type { CertificatePage, RegistryClient } from "../registry-client.ts";
import { MemoryStore } from "./memory-store.ts";
import { saveMessage } from "./save-message.ts";
import { sync } from "./sync.ts";

const pageSize = 2;

/** An in-memory certificate list that follows the paging rules of INTERFACE.md §4.1. */
class Feed implements Pick<RegistryClient, "getPage"> {
  certificates: Certificate[];
  epoch = "0";
  readonly requests: string[] = [];
  /** Called before each response. */
  beforePage: (requestNumber: number) => void = () => undefined;

  constructor(...certificates: Certificate[]) {
    this.certificates = certificates;
  }

  set(id: string, second: number): void {
    this.certificates = [...this.certificates.filter((one) => one.id !== id), certificateFixture(id, second)];
  }

  getPage: RegistryClient["getPage"] = async ({ cursor, updatedSince } = {}): Promise<CertificatePage> => {
    this.requests.push(cursor === undefined ? String(updatedSince ?? "start") : "cursor");
    this.beforePage(this.requests.length);
    const [epoch, after] = cursor?.split("|") ?? [this.epoch, String(updatedSince ?? "")];
    if (epoch !== this.epoch)
      throw new ApiError({
        status: 400,
        code: "bad_request",
        message: "",
        requestId: undefined,
        retryAfterMs: undefined,
      });
    const rest = this.certificates.filter(({ updatedAt }) => updatedAt > (after ?? ""));
    const certificates = rest.slice(0, pageSize);
    const nextCursor = rest.length > pageSize ? `${this.epoch}|${certificates.at(-1)?.updatedAt}` : null;
    return { certificates, nextCursor, epoch: this.epoch };
  };
}

const fiveCertificates = () => [1, 2, 3, 4, 5].map((second) => certificateFixture(`crt_${second}`, second));
const ids = (store: MemoryStore) => store.certificates.map(({ id }) => id).sort();

test("copies the whole list, and then requests only what has changed", async () => {
  const [feed, store] = [new Feed(...fiveCertificates()), new MemoryStore()];
  expect(await sync(feed, store)).toEqual({ read: 5, removed: 0, wasRestored: false });
  feed.set("crt_2", 6);
  expect(await sync(feed, store)).toEqual({ read: 1, removed: 0, wasRestored: false });
  expect(feed.requests).toEqual(["start", "cursor", "cursor", timeAt(5)]);
  expect(store.get("crt_2")).toEqual(certificateFixture("crt_2", 6));
});

test("continues after the last saved page when the first copy was interrupted", async () => {
  const [feed, store] = [new Feed(...fiveCertificates()), new MemoryStore()];
  feed.beforePage = (number) => {
    if (number === 2) throw new Error("crashed");
  };
  await expect(sync(feed, store)).rejects.toThrow("crashed");
  expect(ids(store)).toEqual(["crt_1", "crt_2"]);
  expect(await sync(feed, store)).toMatchObject({ read: 3 });
  expect(feed.requests).toEqual(["start", "cursor", timeAt(2), "cursor"]);
  expect(ids(store)).toHaveLength(5);
});

test("continues from the watermark when the cursor has become invalid", async () => {
  const [feed, store] = [new Feed(...fiveCertificates()), new MemoryStore()];
  const { getPage } = feed;
  let failures = 0;
  feed.getPage = async (query = {}) => {
    const isRefused = query.cursor !== undefined && failures++ === 0;
    return getPage(isRefused ? { cursor: "another epoch|" } : query);
  };
  expect(await sync(feed, store)).toMatchObject({ read: 5, wasRestored: false });
});

test("after a restore, reverts lost changes, and removes lost certificates only after the last page", async () => {
  const [feed, store] = [new Feed(...fiveCertificates()), new MemoryStore()];
  feed.set("crt_1", 9);
  await sync(feed, store);
  feed.certificates = fiveCertificates().slice(0, 4);
  feed.epoch = "restored";
  feed.beforePage = (number) => {
    if (number > 4) expect(store.get("crt_5")).toBeDefined();
  };
  expect(await sync(feed, store)).toEqual({ read: 4, removed: 1, wasRestored: true });
  feed.beforePage = () => undefined;
  expect(store.certificates.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(feed.certificates);
  expect(await sync(feed, store)).toEqual({ read: 0, removed: 0, wasRestored: false });
});

test("detects a restore between two pages, and removes lost certificates even after a crash during the second copy", async () => {
  const [feed, store] = [new Feed(...fiveCertificates()), new MemoryStore()];
  feed.beforePage = (number) => {
    if (number === 2) {
      feed.epoch = "restored";
      feed.certificates = [1, 3, 4].map((second) => certificateFixture(`crt_${second}`, second));
    }
    if (number === 5) throw new Error("crashed");
  };
  await expect(sync(feed, store)).rejects.toThrow("crashed");
  expect(await sync(feed, store)).toMatchObject({ removed: 1 });
  expect(ids(store)).toEqual(["crt_1", "crt_3", "crt_4"]);
});

test("a full read replaces certificates that changed without a new updatedAt", async () => {
  const [feed, store] = [new Feed(certificateFixture("crt_1", 1)), new MemoryStore()];
  await sync(feed, store);
  feed.certificates = [certificateFixture("crt_1", 1, { verifyUrl: "https://new.test/x" })];
  await sync(feed, store);
  expect(store.get("crt_1")?.verifyUrl).toBe("https://registry.test/verify/x");
  expect(await sync(feed, store, { full: true })).toEqual({ read: 1, removed: 0, wasRestored: false });
  expect(store.get("crt_1")?.verifyUrl).toBe("https://new.test/x");
});

test("a call that a full read has overtaken throws, and the copy follows later changes", async () => {
  const [feed, store] = [new Feed(...fiveCertificates()), new MemoryStore()];
  await sync(feed, store);
  feed.set("crt_1", 6);
  const { getPage } = feed;
  let overtaken = false;
  const slowFeed = {
    getPage: async (query?: PageQuery) => {
      const page = await getPage(query);
      if (!overtaken) {
        overtaken = true;
        await sync(feed, store, { full: true });
      }
      return page;
    },
  };
  await expect(sync(slowFeed, store)).rejects.toThrow("another call of sync");
  feed.set("crt_2", 7);
  await sync(feed, store);
  expect(store.get("crt_2")?.updatedAt).toBe(timeAt(7));
});

const message = (certificate: Certificate) =>
  ({ version: 2, event: "issued", shop: "s", occurredAt: timeAt(0), certificate }) as const;

test("saving a message does not advance the watermark, so the next sync reads earlier changes whose messages were lost", async () => {
  const [feed, store] = [new Feed(...fiveCertificates()), new MemoryStore()];
  await sync(feed, store);
  feed.set("crt_6", 6);
  feed.set("crt_7", 7);
  expect(await saveMessage(store, message(certificateFixture("crt_7", 7)))).toBe(true);
  expect(await sync(feed, store)).toMatchObject({ read: 2 });
  expect(ids(store)).toHaveLength(7);
});

test("a message from before a restore does not bring back a certificate once a later change was read", async () => {
  const [feed, store] = [new Feed(...fiveCertificates()), new MemoryStore()];
  await sync(feed, store);
  feed.certificates = fiveCertificates().slice(0, 4);
  feed.epoch = "restored";
  // A restored feed continues after all lost times.
  feed.set("crt_1", 6);
  await sync(feed, store);
  expect(await saveMessage(store, message(certificateFixture("crt_5", 5)))).toBe(true);
  expect(ids(store)).toEqual(["crt_1", "crt_2", "crt_3", "crt_4"]);
});

test("an older message does not replace a newer copy, and neither test messages nor messages in format v1 are saved", async () => {
  const [feed, store] = [new Feed(certificateFixture("crt_1", 5)), new MemoryStore()];
  await sync(feed, store);
  await saveMessage(store, message(certificateFixture("crt_1", 4)));
  expect(store.get("crt_1")?.updatedAt).toBe(timeAt(5));
  expect(await saveMessage(store, message(certificateFixture("smp_1", 6)))).toBe(false);
  const short = { ...message(certificateFixture("crt_2", 6)), version: 1 } as const;
  expect(await saveMessage(store, short)).toBe(false);
  expect(ids(store)).toEqual(["crt_1"]);
});
