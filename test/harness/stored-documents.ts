import { readFile } from "node:fs/promises";
import { BSON, type Document } from "mongodb";
import { afterAll, type TestContext } from "vitest";
import type { Collections } from "../../services/registry/mongo/collections.ts";
import { openKeyFolder } from "./key-files.ts";
import { openTestRegistry } from "./registry-fixture.ts";

/** Documents by collection. */
export type Contents = Partial<Record<keyof Collections, Document[]>>;

/**
 * Documents of every format, as MongoDB Extended JSON: `current` contains the formats that this version writes, and
 * `earlier` those that only earlier versions wrote. When a document gets a new field, add the new format to `current`
 * (see every-document.ts) and move the old one to `earlier`, because the registry must still read such documents.
 */
interface StoredDocuments {
  readonly current: Contents;
  readonly earlier: Contents;
}

/** Reads the stored documents, and returns them with a function that starts a registry on a copy of them. */
export async function openStoredDocuments() {
  const file = new URL("../fixtures/documents-v1.json", import.meta.url);
  const fixture: StoredDocuments = BSON.EJSON.parse(await readFile(file, "utf8"));
  const keys = await openKeyFolder();
  afterAll(() => keys.remove());
  // The secrets in the documents are sealed with this key.
  const keyFile = await keys.write("fixture", new Uint8Array(32).fill(7));

  async function openFixture({ onTestFinished }: Pick<TestContext, "onTestFinished">) {
    const registry = await openTestRegistry({ env: { REGISTRY_SECRET_KEY_FILES: keyFile } }, onTestFinished);
    const { database } = registry;
    // New dates for collections with a TTL index, because the database may delete expired documents at any time.
    const recent: Readonly<Record<string, Document>> = {
      requests: { at: new Date() },
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
    for (const contents of [fixture.current, fixture.earlier])
      for (const [name, documents] of Object.entries(contents).toSorted(([one], [other]) => order(one) - order(other)))
        if (documents.length > 0)
          await database.db
            .collection(name)
            .insertMany(structuredCloneOf(documents).map((one) => ({ ...one, ...recent[name] })));
    const storeId: string = fixture.earlier.certificates?.[0]?.store;
    const firstVersion: string = fixture.earlier.certificates?.[0]?._id;
    return { ...registry, registry, storeId, firstVersion };
  }

  return { fixture, openFixture };
}

// Each test inserts copies, so that no test changes the fixture.
const structuredCloneOf = (documents: readonly Document[]): Document[] =>
  BSON.EJSON.deserialize(BSON.EJSON.serialize([...documents]));
