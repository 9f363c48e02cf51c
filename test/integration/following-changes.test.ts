import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { FollowingReader, type ReadCertificate } from "../harness/following-reader.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { listAll } from "../harness/public-certificate.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
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
