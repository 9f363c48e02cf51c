import { randomBytes } from "node:crypto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { MemoryStore, RegistryClient, sync } from "../../services/client/index.ts";
import { openTestEdge } from "../../services/edge/testing/start-edge.ts";
import { FollowingReader, type ReadCertificate } from "../harness/following-reader.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem, issueOne } from "../harness/issue-items.ts";
import { listAll } from "../harness/public-certificate.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createKeyedStore, createTestStore } from "../harness/test-stores.ts";
import { issueTitled, titlesOf } from "./titled-certificates.ts";

const registry = await openTestRegistry();

test("returns each certificate once for any page size, and no next position on the last page", async () => {
  const storeId = await issueTitled(registry, Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`p${i}`, {}])));
  const all = titlesOf(await listAll(registry, storeId));
  for (const limit of [1, 2, 3, 5, 9, 10, 11, 100])
    expect(titlesOf(await listAll(registry, storeId, { limit }))).toEqual(all);
  const whole = await registry.inspection.findCertificates({ limit: 10 }, inStore(storeId));
  expect(whole.next).toBeUndefined();
  const nine = await registry.inspection.findCertificates({ limit: 9 }, inStore(storeId));
  expect(nine.next).toBeDefined();
});

test.each([0, 101])("rejects a limit of %i and names the field", async (limit) => {
  const { keySha256 } = await createKeyedStore(registry);
  const call = registry.edge.handleList({ keySha256, admissionId: randomBytes(16), page: { limit } });
  await expect(call).rejects.toMatchObject({ code: "bad_request", field: "limit", message: "limit must be 1 to 100" });
});

test("returns not_found for an unknown store, and never returns another store's certificates", async () => {
  await expect(registry.inspection.findCertificates({ limit: 1 }, inStore("sto_none"))).rejects.toThrow(
    "[not_found] There is no such store.",
  );
  await issueTitled(registry, { a: {} });
  expect(await listAll(registry, await createTestStore(registry))).toEqual([]);
});

test.each([
  [{ limit: 101 }, "limit must be at most 100"],
  [{ limit: 1_001, asJson: true }, "limit must be at most 1000"],
  [{ updatedSince: { seconds: 1n << 60n } }, "updated_since is out of range"],
  [{ after: { seconds: 1n << 60n } }, "after is out of range"],
  [{ status: 99 }, "status is missing or unknown"],
])("findCertificates refuses the query %o", async (query, message) => {
  const storeId = await createTestStore(registry);
  await expect(registry.inspection.findCertificates(query, inStore(storeId))).rejects.toThrow(message);
});

const edge = await openTestEdge({ registryAddress: registry.address });

test("a copy that is continued with the key of another store has that store's certificates and no others", async () => {
  const [earlier, later] = [await createKeyedStore(registry), await createKeyedStore(registry)];
  // Issued first, so that it is older than the position of the other store's copy.
  const wanted = await issueOne(registry, earlier.storeId);
  await issueOne(registry, later.storeId);
  const copy = new MemoryStore();
  const follow = ({ apiKey }: typeof earlier) =>
    sync(new RegistryClient({ baseUrl: `http://127.0.0.1:${edge.port}`, apiKey }), copy);

  await follow(later);
  expect(await follow(later)).toEqual({ read: 0, removed: 0, wasRestored: false });
  expect(await follow(earlier)).toEqual({ read: 1, removed: 1, wasRestored: true });
  expect(copy.certificates.map(({ id }) => id)).toEqual([wanted]);
});

const replica = await openTestRegistry({ database: registry.database });

const writersPerRegistry = 8;
const issuesPerWriter = 25;

/** Issues at least 25 certificates, one after the other. @returns their number */
async function issueWhile(isNeeded: () => boolean, { issuing }: typeof registry, storeId: string): Promise<number> {
  let count = 0;
  for (; count < issuesPerWriter || isNeeded(); count++)
    await issuing.issueCertificates({ items: [issueItem()] }, inStore(storeId));
  return count;
}

/** Creates a reader that alternates between the registries. Small pages make it read during concurrent changes. */
function readerOf(storeId: string) {
  let reads = 0;
  return new FollowingReader(async (changedAfter) => {
    const from = reads++ % 2 === 0 ? registry : replica;
    const since = changedAfter === undefined ? {} : { updatedSince: timestampFromDate(new Date(changedAfter)) };
    return listAll(from, storeId, { limit: 7, ...since });
  });
}

test("readers that follow the list during concurrent changes on two registries obtain an exact copy of it", async () => {
  const storeId = await createTestStore(registry);
  const sizesSeen = new Set<number>();
  // Many sizes prove that the readers read during the writes, not only before and after them.
  const isNeeded = () => sizesSeen.size <= 10;
  const writers = [registry, replica].flatMap((one) =>
    Array.from({ length: writersPerRegistry }, () => issueWhile(isNeeded, one, storeId)),
  );
  let isDone = false;
  const writing = Promise.all(writers).finally(() => {
    isDone = true;
  });
  const readers = [readerOf(storeId), readerOf(storeId), readerOf(storeId)];
  const following = readers.map(async (reader) => {
    do {
      await reader.catchUp();
      sizesSeen.add(reader.size);
    } while (!isDone);
    await reader.catchUp();
  });
  const [counts] = await Promise.all([writing, ...following]);

  const listed = await listAll(registry, storeId);
  for (const reader of readers) expect(reader.staleAgainst(listed)).toEqual([]);
  expect(listed).toHaveLength(counts.reduce((sum, count) => sum + count, 0));
  expect(new Set(listed.map(({ updatedAt }) => updatedAt)).size).toBe(listed.length);
});

describe("the check for missed changes", () => {
  /** Creates a reader whose nth read sees the nth list of certificates; further reads see the last list. */
  function readerOfArray(visible: readonly (readonly ReadCertificate[])[]) {
    let reads = 0;
    return new FollowingReader(async (changedAfter = "") => {
      const now = visible[Math.min(reads++, visible.length - 1)] ?? [];
      return now
        .filter(({ updatedAt }) => updatedAt > changedAfter)
        .toSorted((a, b) => a.updatedAt.localeCompare(b.updatedAt));
    });
  }

  const at = (id: string, second: number): ReadCertificate => ({
    id,
    updatedAt: `2026-01-01T00:00:0${second}.000Z`,
  });

  test.each<[string, visible: ReadCertificate[][], stale: ReadCertificate[]]>([
    [
      "accepts changes that become visible in the order of their times",
      [[at("a", 1)], [at("a", 1), at("b", 2)], [at("b", 2), at("a", 3)]],
      [],
    ],
    [
      "detects a change that becomes visible after a later change was read",
      [
        [at("a", 1), at("c", 3)],
        [at("a", 1), at("b", 2), at("c", 3)],
      ],
      [at("b", 2)],
    ],
    [
      "detects the second of two changes with equal times when only the first was visible to the read",
      [[at("a", 1)], [at("a", 1), at("b", 1)]],
      [at("b", 1)],
    ],
    [
      "detects a certificate whose latest state was not read",
      [
        [at("a", 1), at("b", 3)],
        [at("a", 2), at("b", 3)],
      ],
      [at("a", 2)],
    ],
  ])("%s", async (_name, visible, stale) => {
    const reader = readerOfArray(visible);
    for (let read = 0; read < 3; read++) await reader.catchUp();
    expect(reader.staleAgainst(visible.at(-1) ?? [])).toEqual(stale);
  });
});
