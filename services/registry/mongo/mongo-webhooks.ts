import { ServiceError } from "#shared/errors/service-error.ts";
import type { Clock } from "#shared/time/clock.ts";
import { type SecretBox, UnreadableSecret } from "../secrets/secret-box.ts";
import { type RotationStep, rotateSecrets } from "../stores/rotate-secrets.ts";
import {
  formatOfNewUrl,
  type NewWebhook,
  type ResealReport,
  type SetReport,
  type WebhookSettings,
  type Webhooks,
} from "../stores/webhooks.ts";
import type { Collections } from "./collections.ts";
import { databaseError } from "./database-error.ts";
import type { WebhookDocument } from "./documents.ts";
import {
  liveSecretsOf,
  type StoredSecret,
  secretFieldsOf,
  webhookSettingsOf,
  withTexts,
} from "./webhook-documents.ts";

/** What a change makes of a webhook; undefined: it stays as it is. */
type WebhookChange = (present: WebhookDocument | null) => WebhookDocument | null | undefined;

const attemptsMax = 5;
const pauseMs = 50;

/** Webhooks in the documents of `stores`. Whatever is written is sealed. */
export class MongoWebhooks implements Webhooks {
  readonly #stores: Collections["stores"];
  readonly #box: SecretBox;
  readonly #clock: Clock;

  constructor(stores: Collections["stores"], box: SecretBox, clock: Clock) {
    this.#stores = stores;
    this.#box = box;
    this.#clock = clock;
  }

  async find(storeId: string): Promise<WebhookSettings | null> {
    try {
      const webhook = await this.#read(storeId);
      return webhook && webhookSettingsOf(webhook);
    } catch (error) {
      throw databaseError(error);
    }
  }

  async set(storeId: string, webhook: NewWebhook | null): Promise<SetReport> {
    const { before, after } = await this.#change(storeId, (present) => {
      if (webhook === null) return null;
      const { url, newSecret } = webhook;
      const format = webhook.format ?? present?.format ?? formatOfNewUrl;
      const live =
        newSecret === null
          ? liveSecretsOf(present)
          : { active: this.#newSecret(newSecret, storeId), other: null };
      return { ...present, url, format, ...secretFieldsOf(this.#sealPlain(live, storeId)) };
    });
    const wasSigned = before !== null && before.secret !== null;
    return {
      webhook: after && webhookSettingsOf(after),
      replacedSecret: wasSigned && (webhook === null || webhook.newSecret !== null),
    };
  }

  async rotateSecret(storeId: string, step: RotationStep<string>): Promise<WebhookSettings> {
    const storedStep: RotationStep<StoredSecret> =
      step.kind === "begin" ? { kind: "begin", next: this.#newSecret(step.next, storeId) } : step;
    const { after } = await this.#change(storeId, (present) => {
      if (present === null) throw noWebhook();
      const live = rotateSecrets(liveSecretsOf(present), storedStep);
      return { ...present, ...secretFieldsOf(this.#sealPlain(live, storeId)) };
    });
    if (after === null) throw noWebhook();
    return webhookSettingsOf(after);
  }

  async resealSecrets(afterStoreId: string, countMax: number): Promise<ResealReport> {
    const unreadable: string[] = [];
    let resealedCount = 0;
    try {
      const stores = await this.#stores
        .find({ _id: { $gt: afterStoreId } }, { projection: { webhook: 1 } })
        .sort({ _id: 1 })
        .limit(countMax)
        .toArray();
      for (const { _id, webhook } of stores) {
        if (this.#isNewest(webhook)) continue;
        try {
          await this.#change(_id, (present) => this.#resealed(present, _id));
          resealedCount++;
        } catch (error) {
          if (!(error instanceof UnreadableSecret)) throw error;
          unreadable.push(_id);
        }
      }
      return { lastStoreId: stores.at(-1)?._id ?? null, resealedCount, unreadable };
    } catch (error) {
      throw databaseError(error);
    }
  }

  #newSecret(secret: string, storeId: string): StoredSecret {
    return { text: this.#box.seal(secret, storeId), createdAt: new Date(this.#clock.now()) };
  }

  // What is sealed with an older key stays: it need not even be readable to be moved or dropped.
  #sealPlain(live: ReturnType<typeof liveSecretsOf>, storeId: string) {
    return withTexts(live, (text) =>
      this.#box.formOf(text) === "plain" ? this.#box.seal(text, storeId) : text,
    );
  }

  #isNewest(webhook: WebhookDocument | null): boolean {
    const { active, other } = liveSecretsOf(webhook);
    return [active, other?.secret ?? null].every(
      (secret) => secret === null || this.#box.formOf(secret.text) === "newest",
    );
  }

  #resealed(present: WebhookDocument | null, storeId: string): WebhookDocument | undefined {
    if (present === null || this.#isNewest(present)) return undefined;
    const live = withTexts(liveSecretsOf(present), (text) =>
      this.#box.seal(this.#box.open(text, storeId), storeId),
    );
    return { ...present, ...secretFieldsOf(live) };
  }

  /** Reads, decides, and writes what was decided if the webhook is still what was read; else it decides again. */
  async #change(storeId: string, change: WebhookChange) {
    try {
      for (let attempt = 1; attempt <= attemptsMax; attempt++) {
        const before = await this.#read(storeId);
        const after = change(before);
        if (after === undefined) return { before, after: before };
        const { matchedCount } = await this.#stores.updateOne(
          { _id: storeId, webhook: before },
          { $set: { webhook: after } },
        );
        if (matchedCount > 0) return { before, after };
        await this.#clock.sleep(pauseMs * attempt);
      }
    } catch (error) {
      throw databaseError(error);
    }
    throw new ServiceError("conflict", "The store's webhook is being changed by others. Try again shortly.");
  }

  async #read(storeId: string): Promise<WebhookDocument | null> {
    const store = await this.#stores.findOne({ _id: storeId }, { projection: { webhook: 1 } });
    if (store === null) throw new ServiceError("not_found", "There is no such store.");
    return store.webhook;
  }
}

function noWebhook(): ServiceError {
  return new ServiceError("failed_precondition", "The store has no webhook.");
}
