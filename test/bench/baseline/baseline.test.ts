import { BSON, type CommandStartedEvent, type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { issueCertificates } from "../../../services/registry/certificates/issue-certificates.ts";
import { transferCertificate } from "../../../services/registry/certificates/transfer-certificate.ts";
import { collectionsOf } from "../../../services/registry/mongo/documents/collections.ts";
import { issueOne } from "../../harness/issue-items.ts";
import { createTestLedger } from "../../harness/ledger-fixture.ts";
import { startTestRegistry, type TestRegistry } from "../../harness/registry-fixture.ts";
import { createTestStore } from "../../harness/test-stores.ts";
import { runImport } from "./import.ts";
import { runOnce } from "./open-baseline.ts";
import { runTransfer } from "./transfer.ts";

// The benchmark's baseline must do as much work as the registry: documents of similar size, in no fewer commands.

let registry: TestRegistry;
beforeAll(async () => {
  registry = await startTestRegistry();
});
afterAll(() => registry.stop());

const mongoDb8 = 25;

type Sent = Awaited<ReturnType<typeof sentBy>>;

/** Records the commands that `work` sends to the database, and their sizes. */
async function sentBy(work: (client: MongoClient) => Promise<unknown>) {
  const client = new MongoClient(registry.database.uri, { monitorCommands: true });
  onTestFinished(() => client.close());
  await client.connect();
  const commands: string[] = [];
  let bytes = 0;
  let documentBytes = 0;
  client.on("commandStarted", ({ commandName, command }: CommandStartedEvent) => {
    commands.push(`${commandName} ${command[commandName]}`);
    bytes += BSON.calculateObjectSize(command);
    for (const document of documentsIn(command)) documentBytes += BSON.calculateObjectSize(document);
  });
  await work(client);
  return { commands, bytes, documentBytes };
}

/** Returns the documents that a command inserts and the replacements that it contains. */
function documentsIn({ documents = [], updates = [], ops = [] }: Document): Document[] {
  return [
    ...documents,
    ...updates.map(({ u }: Document) => u),
    ...ops.map(({ document, updateMods }: Document) => document ?? updateMods),
  ];
}

const databaseOf = (client: MongoClient) => ({ client, collections: collectionsOf(client.db()) });

function expectSimilarSize(baseline: number, ours: number): void {
  expect(baseline / ours).toBeGreaterThan(0.95);
  expect(baseline / ours).toBeLessThan(1.05);
}

describe("the transfer baseline", () => {
  const email = "owner17@example.test";

  async function sentByBoth(writesInOneCommand: boolean): Promise<{ readonly ours: Sent; readonly baseline: Sent }> {
    const storeId = await createTestStore(registry);
    const certificateId = await issueOne(registry, storeId);
    const ours = await sentBy((client) =>
      transferCertificate(createTestLedger(databaseOf(client), { writesInOneCommand }).queue, {
        storeId,
        certificateId,
        idempotencyKey: "",
        actor: "unknown",
        newOwner: { name: "Ada Example", email },
      }),
    );
    const baseline = await sentBy((client) =>
      runOnce(databaseOf(client), (session) =>
        runTransfer(databaseOf(client), { storeId, certificateId }, email, session),
      ),
    );
    expect(baseline.commands).toHaveLength(6);
    return { ours, baseline };
  }

  test("writes documents about as large as the registry's, in more commands than bulkWrite needs", async (context) => {
    const { maxWireVersion } = await registry.database.db.command({ hello: 1 });
    context.skip(maxWireVersion < mongoDb8, "the database server does not support bulkWrite");
    const { ours, baseline } = await sentByBoth(true);
    expect(ours.commands).toEqual([...baseline.commands.slice(0, 2), "bulkWrite 1", "commitTransaction 1"]);
    expectSimilarSize(baseline.documentBytes, ours.documentBytes);
  });

  test("sends the same commands as the registry on a database without bulkWrite", async () => {
    const { ours, baseline } = await sentByBoth(false);
    expect(baseline.commands).toEqual(ours.commands);
    expectSimilarSize(baseline.bytes, ours.bytes);
  });
});

test("the import baseline sends the same commands as the registry", async () => {
  const storeId = await createTestStore(registry);
  const items = Array.from({ length: 20 }, (_, index) => ({
    product: { id: "7001", title: "Alpine Jacket", variant: "M / Blue", sku: "" },
    buyer: { name: "Ada Example", email: "ada@example.test" },
    order: { id: String(1_000_000_000 + index), name: `#${index + 1}`, line: "1", unit: 1 },
    expiresAt: null,
  }));
  const request = { idempotencyKey: "", actor: "unknown", isImport: true };
  const ours = await sentBy((client) =>
    issueCertificates(createTestLedger(databaseOf(client)).queue, storeId, items, request),
  );
  const baseline = await sentBy((client) =>
    runOnce(databaseOf(client), (session) => runImport(databaseOf(client), storeId, items.length, session)),
  );
  expect(baseline.commands).toHaveLength(9);
  expect(baseline.commands).toEqual(ours.commands);
  expectSimilarSize(baseline.bytes, ours.bytes);
});
