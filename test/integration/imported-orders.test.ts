import { expect, test } from "vitest";
import { z } from "zod";
import { issueCertificates } from "../../services/registry/certificates/issue-certificates.ts";
import type { IssueItem } from "../../services/registry/certificates/issue-item.ts";
import { collectionsOf } from "../../services/registry/mongo/documents/collections.ts";
import { createTestLedger } from "../harness/ledger-fixture.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { openWatchedClient } from "../harness/sent-commands.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const { database } = registry;

const unitOf = (line: string): IssueItem => ({
  product: { id: "", title: "Poster", variant: "", sku: "" },
  buyer: { name: "Ada Example", email: "ada@example.test" },
  order: { id: "7000001", name: "#1", line, unit: 1 },
  expiresAt: null,
});

/** Returns the items of 100 rows, all of the same order, the first of which has this position. */
const rowsFrom = (position: number) => Array.from({ length: 100 }, (_, index) => unitOf(String(position + index)));

// A reply with certificates, not only with their keys.
const reply = z.object({
  cursor: z.object({
    ns: z.string().endsWith(".certificates"),
    firstBatch: z.tuple([z.object({ owner: z.object() })], z.unknown()),
  }),
});

/** Opens a ledger over a client that counts the replies with certificates. */
async function openCountingLedger() {
  const { client } = await openWatchedClient(database.uri);
  const counts = { replies: 0 };
  client.on("commandSucceeded", (event) => {
    if (reply.safeParse(event.reply).success) counts.replies++;
  });
  return { ...createTestLedger({ client, collections: collectionsOf(client.db()) }), counts };
}

const imported = { idempotencyKey: "", actor: "test", isImport: true };

test("a batch of an import reads only the keys of earlier rows' certificates, although a file names one order in each row", async () => {
  const storeId = await createTestStore(registry);
  const { queue, counts } = await openCountingLedger();
  for (const position of [1, 101, 201]) {
    const results = await issueCertificates(queue, storeId, rowsFrom(position), imported);
    expect(results.map(({ outcome }) => outcome)).toEqual(Array(100).fill("issued"));
  }
  expect(counts.replies).toBe(0);
});

test.each([
  ["1000001", "already_issued"],
  ["14567890123456", "already_issued"],
  ["gid-1", "already_issued"],
  ["a/1", "already_issued"],
  ["999999", "issued"],
])("a row whose order has a certificate of the line %s for the product is %s", async (line, outcome) => {
  const storeId = await createTestStore(registry);
  const { queue } = await openCountingLedger();
  await issueCertificates(queue, storeId, [unitOf(line)], { ...imported, isImport: false });
  const other = { ...unitOf("2"), product: { ...unitOf("2").product, title: "Print" } };
  const results = await issueCertificates(queue, storeId, [unitOf("1"), other], imported);
  expect(results.map((result) => result.outcome)).toEqual([outcome, "issued"]);
});
