import { randomBytes } from "node:crypto";
import { Binary } from "mongodb";
import type { Collections } from "../../services/registry/mongo/documents/collections.ts";
import { settingsFixture } from "../../services/registry/values/store-settings-fixture.ts";

/** Inserts the access document of a new Pro store. @returns the store's id and the hash of each of its API keys */
export async function insertAccess({ access }: Pick<Collections, "access">, keys = 1) {
  const hashes = Array.from({ length: keys }, () => randomBytes(32));
  const storeId = `sto_${randomBytes(8).toString("hex")}`;
  const createdAt = new Date(0);
  await access.insertOne({
    _id: storeId,
    plan: "pro",
    epoch: "",
    settings: settingsFixture,
    keys: hashes.map((hash, index) => ({
      id: `key_${index}`,
      label: "",
      prefix: "crk_",
      hash: new Binary(hash),
      createdAt,
    })),
    admitted: [],
    decision: null,
  });
  return { storeId, hashes };
}
