import { BSON, type CommandStartedEvent, MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { systemClock } from "#shared/time/clock.ts";
import { CommitQueue } from "../../../services/registry/certificates/commit-queue.ts";
import { issueCertificates } from "../../../services/registry/certificates/issue-certificates.ts";
import { transferCertificate } from "../../../services/registry/certificates/transfer-certificate.ts";
import { collectionsOf } from "../../../services/registry/mongo/collections.ts";
import { MongoLedger } from "../../../services/registry/mongo/mongo-ledger.ts";
import { issueOne } from "../../harness/issue-items.ts";
import { startTestRegistry, type TestRegistry } from "../../harness/registry-fixture.ts";
import { createTestStore } from "../../harness/test-stores.ts";
import { bareImport } from "./bare-import.ts";
import { bareTransfer } from "./bare-transfer.ts";
import { runPlain } from "./open-bare.ts";

// What the benchmark compares the registry with must do the same work: the same commands, as large.

let registry: TestRegistry;
beforeAll(async () => {
  registry = await startTestRegistry();
});
afterAll(() => registry.stop());

interface Sent {
  readonly commands: readonly string[];
  readonly bytes: number;
}

/** What a piece of work sends to the database. */
async function sentBy(work: (client: MongoClient) => Promise<unknown>): Promise<Sent> {
  const client = new MongoClient(registry.database.uri, { monitorCommands: true });
  onTestFinished(() => client.close());
  await client.connect();
  const commands: string[] = [];
  let bytes = 0;
  client.on("commandStarted", ({ commandName, command }: CommandStartedEvent) => {
    commands.push(`${commandName} ${command[commandName]}`);
    bytes += BSON.calculateObjectSize(command);
  });
  await work(client);
  return { commands, bytes };
}

function queueOn(client: MongoClient): CommitQueue {
  const collections = collectionsOf(client.db());
  const serviceVerifyUrl = "http://127.0.0.1:34567/verify";
  const onEvents = () => undefined;
  return new CommitQueue(
    new MongoLedger({ client, collections, clock: systemClock, serviceVerifyUrl, onEvents }),
  );
}

const bareOn = (client: MongoClient) => ({ client, collections: collectionsOf(client.db()) });

function expectSameWork(bare: Sent, ours: Sent): void {
  expect(bare.commands).toEqual(ours.commands);
  expect(bare.bytes / ours.bytes).toBeGreaterThan(0.95);
  expect(bare.bytes / ours.bytes).toBeLessThan(1.05);
}

test("a bare transfer sends what a transfer of the registry sends", async () => {
  const storeId = await createTestStore(registry);
  const certificateId = await issueOne(registry, storeId);
  const email = "owner17@example.test";
  const ours = await sentBy((client) =>
    transferCertificate(queueOn(client), {
      ...{ storeId, certificateId, requestId: "", actor: "unknown" },
      newOwner: { name: "Ada Example", email },
    }),
  );
  const bare = await sentBy((client) =>
    runPlain(bareOn(client), (session) =>
      bareTransfer(bareOn(client), { storeId, certificateId }, email, session),
    ),
  );
  expect(bare.commands).toHaveLength(6);
  expectSameWork(bare, ours);
});

test("a bare import sends what an import into the registry sends", async () => {
  const storeId = await createTestStore(registry);
  const items = Array.from({ length: 20 }, (_, index) => ({
    product: { id: "7001", title: "Alpine Jacket", variant: "M / Blue", sku: "" },
    buyer: { name: "Ada Example", email: "ada@example.test" },
    order: { id: String(1_000_000_000 + index), name: `#${index + 1}`, line: "1", unit: 1 },
    expiresAt: null,
  }));
  const request = { requestId: "", actor: "unknown", isImport: true };
  const ours = await sentBy((client) => issueCertificates(queueOn(client), storeId, items, request));
  const bare = await sentBy((client) =>
    runPlain(bareOn(client), (session) => bareImport(bareOn(client), storeId, items.length, session)),
  );
  expect(bare.commands).toHaveLength(6);
  expectSameWork(bare, ours);
});
