import { BSON, type CommandStartedEvent, type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { issueCertificates } from "../../../services/registry/certificates/issue-certificates.ts";
import { transferCertificate } from "../../../services/registry/certificates/transfer-certificate.ts";
import { collectionsOf } from "../../../services/registry/mongo/collections.ts";
import { issueOne } from "../../harness/issue-items.ts";
import { createTestLedger } from "../../harness/ledger-fixture.ts";
import { startTestRegistry, type TestRegistry } from "../../harness/registry-fixture.ts";
import { createTestStore } from "../../harness/test-stores.ts";
import { bareImport } from "./bare-import.ts";
import { bareTransfer } from "./bare-transfer.ts";
import { runPlain } from "./open-bare.ts";

// What the benchmark compares the registry with must do the same work: the same documents, in no fewer commands.

let registry: TestRegistry;
beforeAll(async () => {
  registry = await startTestRegistry();
});
afterAll(() => registry.stop());

const mongoDb8 = 25;

interface Sent {
  readonly commands: readonly string[];
  readonly bytes: number;
  /** Of the documents that are written, without the commands around them. */
  readonly documentBytes: number;
}

/** What a piece of work sends to the database. */
async function sentBy(work: (client: MongoClient) => Promise<unknown>): Promise<Sent> {
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

/** The whole documents that a command inserts or puts in the place of others. */
function documentsIn({ documents = [], updates = [], ops = [] }: Document): Document[] {
  return [
    ...documents,
    ...updates.map(({ u }: Document) => u),
    ...ops.map(({ document, updateMods }: Document) => document ?? updateMods),
  ];
}

const bareOn = (client: MongoClient) => ({ client, collections: collectionsOf(client.db()) });

function expectAsLarge(bare: number, ours: number): void {
  expect(bare / ours).toBeGreaterThan(0.95);
  expect(bare / ours).toBeLessThan(1.05);
}

describe("a bare transfer", () => {
  const email = "owner17@example.test";

  async function sentByBoth(
    writesInOneCommand: boolean,
  ): Promise<{ readonly ours: Sent; readonly bare: Sent }> {
    const storeId = await createTestStore(registry);
    const certificateId = await issueOne(registry, storeId);
    const ours = await sentBy((client) =>
      transferCertificate(createTestLedger(bareOn(client), { writesInOneCommand }).queue, {
        ...{ storeId, certificateId, idempotencyKey: "", actor: "unknown" },
        newOwner: { name: "Ada Example", email },
      }),
    );
    const bare = await sentBy((client) =>
      runPlain(bareOn(client), (session) =>
        bareTransfer(bareOn(client), { storeId, certificateId }, email, session),
      ),
    );
    expect(bare.commands).toHaveLength(6);
    return { ours, bare };
  }

  test("writes the documents of a transfer of the registry, which takes fewer commands", async (context) => {
    const { maxWireVersion } = await registry.database.db.command({ hello: 1 });
    context.skip(maxWireVersion < mongoDb8, "the database server has no bulkWrite");
    const { ours, bare } = await sentByBoth(true);
    expect(ours.commands).toEqual([...bare.commands.slice(0, 2), "bulkWrite 1", "commitTransaction 1"]);
    expectAsLarge(bare.documentBytes, ours.documentBytes);
  });

  test("sends the very commands of a registry whose database does not have bulkWrite", async () => {
    const { ours, bare } = await sentByBoth(false);
    expect(bare.commands).toEqual(ours.commands);
    expectAsLarge(bare.bytes, ours.bytes);
  });
});

test("a bare import sends what an import into the registry sends", async () => {
  const storeId = await createTestStore(registry);
  const items = Array.from({ length: 20 }, (_, index) => ({
    product: { id: "7001", title: "Alpine Jacket", variant: "M / Blue", sku: "" },
    buyer: { name: "Ada Example", email: "ada@example.test" },
    order: { id: String(1_000_000_000 + index), name: `#${index + 1}`, line: "1", unit: 1 },
    expiresAt: null,
  }));
  const request = { idempotencyKey: "", actor: "unknown", isImport: true };
  const ours = await sentBy((client) =>
    issueCertificates(createTestLedger(bareOn(client)).queue, storeId, items, request),
  );
  const bare = await sentBy((client) =>
    runPlain(bareOn(client), (session) => bareImport(bareOn(client), storeId, items.length, session)),
  );
  expect(bare.commands).toHaveLength(6);
  expect(bare.commands).toEqual(ours.commands);
  expectAsLarge(bare.bytes, ours.bytes);
});
