import { readFile } from "node:fs/promises";
import { BSON, type Document } from "mongodb";
import { afterAll, type TestContext } from "vitest";
import type { Collections } from "../../services/registry/mongo/documents/collections.ts";
import { openKeyFolder } from "./key-files.ts";
import { openTestRegistry } from "./registry-fixture.ts";

/** Documents by collection. */
export type Contents = Partial<Record<keyof Collections, Document[]>>;

/**
 * Reads documents of every form, stored as MongoDB Extended JSON, and returns them with a function that starts a
 * registry on a copy of them. When a document gets a new field, add the new form (see every-document.ts). From the
 * first release on, keep the old form beside it, because the registry must still read such documents.
 */
export async function openStoredDocuments() {
  const file = new URL("../fixtures/documents-v1.json", import.meta.url);
  const fixture: Contents = BSON.EJSON.parse(await readFile(file, "utf8"));
  const keys = await openKeyFolder(afterAll);
  // The secrets in the documents are sealed with this key.
  const keyFile = await keys.write("fixture", new Uint8Array(32).fill(7));

  async function openFixture({ onTestFinished }: Pick<TestContext, "onTestFinished">) {
    const registry = await openTestRegistry({ env: { REGISTRY_SECRET_KEY_FILES: keyFile } }, onTestFinished);
    const { database } = registry;
    // New dates for collections with a TTL index, because the database may delete expired documents at any time.
    const recent: Readonly<Record<string, Document>> = {
      requests: { at: new Date() },
      imageRequests: { requestedAt: new Date() },
      listenTokens: { expiresAt: new Date(Date.now() + 3_600_000) },
      listenMessages: { at: new Date() },
      deliveries: { claimedAt: new Date(Date.now() - 3_600_000) },
      triggerDeliveries: { at: new Date(Date.now() - 3_600_000) },
      automationOutbox: { at: new Date(Date.now() - 3_600_000) },
      imports: { createdAt: new Date() },
      importParts: { createdAt: new Date() },
      rejectedLines: { createdAt: new Date() },
      storefrontMessages: { receivedAt: new Date() },
      storefrontOrders: { changedAt: new Date() },
    };
    // Inserts the storefront connections last: once they exist, the registry processes the other documents.
    const order = (name: string) => Number(name === "storefronts");
    for (const [name, documents] of Object.entries(fixture).toSorted(([one], [other]) => order(one) - order(other)))
      if (documents.length > 0)
        await database.db
          .collection(name)
          .insertMany(structuredCloneOf(documents).map((one) => ({ ...one, ...recent[name] })));
    const first = fixture.certificates?.find(({ serial }) => serial === 1);
    const storeId: string = first?.store;
    const certificateId: string = first?._id;
    return { ...registry, registry, storeId, certificateId };
  }

  return { fixture, openFixture };
}

// Each test inserts copies, so that no test changes the fixture.
const structuredCloneOf = (documents: readonly Document[]): Document[] =>
  BSON.EJSON.deserialize(BSON.EJSON.serialize([...documents]));
