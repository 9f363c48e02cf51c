import { type LiveSecrets, mapSecrets } from "../../secrets/rotate-secrets.ts";
import type { ResealReport, SealedSecrets } from "../../secrets/sealed-secrets.ts";
import { type SecretBox, UnreadableSecret } from "../../secrets/secret-box.ts";
import type { StoreChange } from "../../stores/store-history.ts";
import type { Collections } from "../documents/collections.ts";
import { triggerSecretFields, triggerSecretsOf } from "../documents/trigger-documents.ts";
import { type StoredSecret, webhookSecretFields, webhookSecretsOf } from "../documents/webhook-documents.ts";
import { databaseCall } from "../driver/database-error.ts";
import { limited } from "../driver/time-limits.ts";
import type { MongoStoreHistory } from "./mongo-store-history.ts";

interface MongoSealedSecretsDeps {
  readonly collections: Pick<Collections, "stores" | "triggers">;
  readonly history: MongoStoreHistory;
  readonly box: SecretBox;
}

/** Where one kind of document has its secrets, and how it is read and written. */
interface Place<Document, Secret> {
  readonly storeOf: (document: Document) => string;
  /** @returns null if the document has no secrets */
  readonly secretsOf: (document: Document) => LiveSecrets<Secret> | null;
  /** @returns null if the document no longer exists */
  readonly read: (document: Document) => Promise<Document | null>;
  /** @returns false, and writes nothing, if the document's secrets have changed since it was read */
  readonly write: (document: Document, secrets: LiveSecrets<Secret>) => Promise<boolean>;
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

      await this.#resealEach(found, report, {
        storeOf: ({ _id }) => _id,
        secretsOf: ({ webhook }) => webhookSecretsOf(webhook),
        read: ({ _id }) => stores.findOne({ _id }, readOptions),
        write: ({ _id, webhook }, secrets) =>
          history.record(_id, change, async (session) => {
            const update = { $set: { webhook: webhook && { ...webhook, ...webhookSecretFields(secrets) } } };
            const { matchedCount } = await stores.updateOne({ _id, webhook }, update, { session });
            return { hasChanged: matchedCount > 0, value: matchedCount > 0 };
          }),
      });

      const range = { store: { $gt: afterStoreId, $lte: lastStoreId } };
      await this.#resealEach(await triggers.find(range, limited).toArray(), report, {
        storeOf: ({ store }) => store,
        secretsOf: triggerSecretsOf,
        read: ({ _id }) => triggers.findOne({ _id }, limited),
        // Each rotation changes the active secret.
        write: async ({ _id, secret }, secrets) => {
          const update = { $set: triggerSecretFields(secrets) };
          return (await triggers.updateOne({ _id, secret }, update, limited)).matchedCount > 0;
        },
      });
      return { lastStoreId, ...report };
    });
  }

  async #resealEach<Document, Secret extends Pick<StoredSecret, "text">>(
    found: readonly Document[],
    { resealed, unreadable }: Readonly<Record<"resealed" | "unreadable", Set<string>>>,
    place: Place<Document, Secret>,
  ): Promise<void> {
    for (const document of found) {
      const storeId = place.storeOf(document);
      try {
        // Reads again after a concurrent rotation, which does not re-encrypt the secrets that it keeps.
        for (let current: Document | null = document; current !== null; current = await place.read(current)) {
          const secrets = this.#resealed(place.secretsOf(current), storeId);
          const isWritten = secrets !== null && (await place.write(current, secrets));
          if (isWritten) resealed.add(storeId);
          if (isWritten || secrets === null) break;
        }
      } catch (error) {
        if (!(error instanceof UnreadableSecret)) throw error;
        unreadable.add(storeId);
      }
    }
  }

  /** Returns secrets with the newest key; null if there are none, or all of them are sealed with it. */
  #resealed<Secret extends Pick<StoredSecret, "text">>(
    secrets: LiveSecrets<Secret> | null,
    storeId: string,
  ): LiveSecrets<Secret> | null {
    const { box } = this.#deps;
    if (secrets === null) return null;
    const all = [secrets.active, ...secrets.others.map(({ secret }) => secret)];
    if (all.every(({ text }) => box.isNewest(text))) return null;
    return mapSecrets(secrets, (one) => ({ ...one, text: box.seal(box.open(one.text, storeId), storeId) }));
  }
}
