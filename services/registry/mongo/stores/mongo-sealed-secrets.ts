import { type LiveSecrets, mapSecrets, type StoredSecret } from "../../secrets/rotate-secrets.ts";
import type { ResealReport, SealedSecrets } from "../../secrets/sealed-secrets.ts";
import { type SecretBox, unlessUnreadable } from "../../secrets/secret-box.ts";
import type { StoreChange } from "../../stores/store-history.ts";
import type { Collections } from "../documents/collections.ts";
import { databaseCall } from "../driver/database-error.ts";
import { limited } from "../driver/time-limits.ts";
import type { MongoStoreHistory } from "./mongo-store-history.ts";

interface MongoSealedSecretsDeps {
  readonly collections: Pick<Collections, "stores" | "triggers">;
  readonly history: MongoStoreHistory;
  readonly box: SecretBox;
}

/** Secrets of one webhook or trigger; null if there are none. */
interface Place {
  readonly secrets: LiveSecrets<StoredSecret> | null;
  readonly read: () => Promise<LiveSecrets<StoredSecret> | null>;
  /** @returns false, and writes nothing, if the secrets are no longer `before` */
  readonly write: (before: LiveSecrets<StoredSecret>, after: LiveSecrets<StoredSecret>) => Promise<boolean>;
}

const readOptions = { projection: { webhook: 1 }, ...limited } as const;

/** Implements SealedSecrets on the `stores` and `triggers` collections. */
export class MongoSealedSecrets implements SealedSecrets {
  readonly #deps: MongoSealedSecretsDeps;

  constructor(deps: MongoSealedSecretsDeps) {
    this.#deps = deps;
  }

  reseal(afterStoreId: string, countMax: number, actor: string): Promise<ResealReport> {
    const { history, collections } = this.#deps;
    const { stores, triggers } = collections;
    const change: StoreChange = { action: "secret.resealed", actor, details: {} };
    const report = { resealed: new Set<string>(), unreadable: new Set<string>() };
    return databaseCall(async () => {
      const page = stores
        .find({ _id: { $gt: afterStoreId } }, readOptions)
        .sort({ _id: 1 })
        .limit(countMax);
      const found = await page.toArray();
      const lastStoreId = found.at(-1)?._id ?? null;
      if (lastStoreId === null) return { lastStoreId, ...report };

      for (const { _id, webhook } of found) {
        await this.#reseal(_id, report, {
          secrets: webhook?.secrets ?? null,
          read: async () => (await stores.findOne({ _id }, readOptions))?.webhook?.secrets ?? null,
          write: (before, after) =>
            history.record(_id, change, async (session) => {
              const update = { $set: { "webhook.secrets": after } };
              const { matchedCount } = await stores.updateOne({ _id, "webhook.secrets": before }, update, { session });
              return { hasChanged: matchedCount > 0, value: matchedCount > 0 };
            }),
        });
      }
      const range = { store: { $gt: afterStoreId, $lte: lastStoreId } };
      for (const { _id, store, secrets } of await triggers.find(range, limited).toArray()) {
        await this.#reseal(store, report, {
          secrets,
          read: async () => (await triggers.findOne({ _id }, limited))?.secrets ?? null,
          write: async (before, after) => {
            const update = { $set: { secrets: after } };
            return (await triggers.updateOne({ _id, secrets: before }, update, limited)).matchedCount > 0;
          },
        });
      }
      return { lastStoreId, ...report };
    });
  }

  async #reseal(
    storeId: string,
    { resealed, unreadable }: Readonly<Record<"resealed" | "unreadable", Set<string>>>,
    { secrets, read, write }: Place,
  ): Promise<void> {
    // Reads again after a concurrent rotation, which does not re-encrypt the secrets that it keeps.
    for (let current = secrets; current !== null; current = await read()) {
      const before = current;
      const after = unlessUnreadable(() => this.#resealed(before, storeId));
      if (after === "unreadable") unreadable.add(storeId);
      if (after === "unreadable" || after === null) return;
      if (await write(before, after)) {
        resealed.add(storeId);
        return;
      }
    }
  }

  /** Returns secrets with the newest key; null if all of them are sealed with it. */
  #resealed(secrets: LiveSecrets<StoredSecret>, storeId: string): LiveSecrets<StoredSecret> | null {
    const { box } = this.#deps;
    const all = [secrets.active, ...secrets.others.map(({ secret }) => secret)];
    if (all.every(({ text }) => box.isNewest(text))) return null;
    return mapSecrets(secrets, (one) => ({ ...one, text: box.seal(box.open(one.text, storeId), storeId) }));
  }
}
