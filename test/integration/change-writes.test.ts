import { MongoServerError } from "mongodb";
import { describe, expect, test } from "vitest";
import { issueCertificates } from "../../services/registry/certificates/issue-certificates.ts";
import type { IssueItem } from "../../services/registry/certificates/issue-item.ts";
import { transferCertificate } from "../../services/registry/certificates/transfer-certificate.ts";
import type { MongoLedgerDeps } from "../../services/registry/mongo/certificates/mongo-ledger.ts";
import { advanceClock } from "../../services/registry/mongo/certificates/store-clock.ts";
import { newLinkToken } from "../../services/registry/values/identifiers.ts";
import { expectNothingChanged } from "../harness/expect-nothing-changed.ts";
import { issueInNewStore, issueOne } from "../harness/issue-items.ts";
import { createTestLedger } from "../harness/ledger-fixture.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const { database } = registry;
const { certificates, history } = database.collections;

// A future time, so no certificate of these tests already has it as updatedAt.
const soon = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 3_600_000);

/** Returns an `advance` that counts a transaction's attempts and calls `act` after each attempt fixes its snapshot. */
function duringAttempts(act: (attempt: number) => Promise<unknown>) {
  let attempts = 0;
  const advance: MongoLedgerDeps["advance"] = async (...parameters) => {
    const store = await advanceClock(...parameters);
    await act(++attempts);
    return store;
  };
  return { advance, attempts: () => attempts };
}

async function documentOf(certificateId: string) {
  const document = await certificates.findOne({ _id: certificateId });
  if (document === null) throw new Error(`certificate ${certificateId} does not exist`);
  return document;
}

/** Generates the id and the link token of another certificate of a store. */
const anotherId = (storeId: string) => ({ _id: `crt_${storeId}`, linkToken: newLinkToken() });

const isDuplicate = (error: unknown) => error instanceof MongoServerError && error.code === 11_000;

describe.each([
  ["with one bulkWrite command", true],
  ["with one command per collection", false],
])("a change written %s", (_way, writesInOneCommand) => {
  const queueWith = (deps: Partial<MongoLedgerDeps>) =>
    createTestLedger(database, { writesInOneCommand, ...deps }).queue;
  const transferred = (deps: Partial<MongoLedgerDeps>, storeId: string, certificateId: string) =>
    transferCertificate(queueWith(deps), {
      storeId,
      certificateId,
      idempotencyKey: "",
      actor: "test",
      newOwner: { name: "Grace Example", email: "grace@example.test" },
    });
  const issued = (deps: Partial<MongoLedgerDeps>, storeId: string, item: IssueItem) => {
    const request = { idempotencyKey: "", actor: "test", isImport: false };
    return issueCertificates(queueWith(deps), storeId, [item], request);
  };

  test("is rolled back and fails with the database's error when its last document is refused", async () => {
    const { storeId, certificateId: certificate } = await issueInNewStore(registry);
    const other = { store: storeId, certificate, type: 1, cause: "in_app", actor: "test" };
    await history.insertOne({ ...other, _id: `evt_${storeId}`, at: soon });
    await expectNothingChanged(database, async () => {
      await expect(transferred({ databaseTime: () => soon }, storeId, certificate)).rejects.toSatisfy(isDuplicate);
    });
  });

  test("fails without a retry when another certificate of the store has the same updatedAt", async () => {
    const { storeId, certificateId: certificate } = await issueInNewStore(registry);
    const document = await documentOf(certificate);
    await certificates.insertOne({ ...document, ...anotherId(storeId), serial: 99, updatedAt: soon });
    const { advance, attempts } = duringAttempts(async () => undefined);
    await expect(transferred({ advance, databaseTime: () => soon }, storeId, certificate)).rejects.toSatisfy(
      isDuplicate,
    );
    expect(attempts()).toBe(1);
    expect(await documentOf(certificate)).toEqual(document);
  });

  test("is retried when another change to the same certificate commits first", async () => {
    const { storeId, certificateId: certificate } = await issueInNewStore(registry);
    const { advance, attempts } = duringAttempts(async (attempt) => {
      if (attempt === 1) await certificates.updateOne({ _id: certificate }, { $set: { serial: 77 } });
    });
    await transferred({ advance }, storeId, certificate);
    expect(attempts()).toBe(2);
    expect(await documentOf(certificate)).toMatchObject({ serial: 77, owner: { name: "Grace Example" } });
  });

  test("is retried when another replica issues the same order unit first, and returns that replica's certificate", async () => {
    const storeId = await createTestStore(registry);
    const template = await documentOf(await issueOne(registry, storeId));
    const theirs = { ...template, ...anotherId(storeId), serial: 99, updatedAt: soon, issueKey: "450/1/1" };
    const { advance, attempts } = duringAttempts(async (attempt) => {
      if (attempt === 1) await certificates.insertOne(theirs);
    });
    const { product, owner: buyer } = template;
    const order = { id: "450", name: "#1", line: "1", unit: 1 };
    const results = await issued({ advance }, storeId, { product, buyer, order, expiresAt: null });
    expect(results).toMatchObject([{ outcome: "already_issued", certificateId: theirs._id }]);
    expect(attempts()).toBe(2);
    expect(await certificates.countDocuments({ store: storeId })).toBe(2);
  });

  test("is retried when the database refuses the new certificate as a duplicate", async () => {
    const storeId = await createTestStore(registry);
    const template = await documentOf(await issueOne(registry, storeId));
    const blocking = { ...template, ...anotherId(storeId), serial: template.serial + 1, updatedAt: soon };
    await certificates.insertOne(blocking);
    let attempts = 0;
    const advance: MongoLedgerDeps["advance"] = async (...parameters) => {
      if (++attempts === 2) await certificates.deleteOne({ _id: blocking._id });
      return advanceClock(...parameters);
    };
    const { product, owner: buyer } = template;
    const results = await issued({ advance }, storeId, { product, buyer, order: null, expiresAt: null });
    expect(results).toMatchObject([{ outcome: "issued" }]);
    expect(attempts).toBe(2);
  });
});
