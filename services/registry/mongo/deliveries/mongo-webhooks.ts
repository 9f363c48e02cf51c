import { ServiceError } from "#shared/errors/service-error.ts";
import { reason } from "#shared/reasons/reason.ts";
import { retryUntil } from "#shared/retry/retry-until.ts";
import type { Clock } from "#shared/time/clock.ts";
import { type RotationStep, rotateSecrets, type StoredSecret } from "../../secrets/rotate-secrets.ts";
import type { SecretBox } from "../../secrets/secret-box.ts";
import type { StoreChange } from "../../stores/store-history.ts";
import {
  formatOfNewUrl,
  type NewWebhook,
  type SetReport,
  type WebhookSettings,
  type Webhooks,
  webhookVersion,
} from "../../stores/webhooks.ts";
import { notFound } from "../../values/not-found.ts";
import type { Collections } from "../documents/collections.ts";
import type { WebhookDocument } from "../documents/documents.ts";
import { databaseCall } from "../driver/database-error.ts";
import { limited } from "../driver/time-limits.ts";
import type { MongoStoreHistory } from "../stores/mongo-store-history.ts";

/** Returns the webhook to store; null to remove the webhook. */
type NextWebhook = (current: WebhookDocument | null) => WebhookDocument | null;

const retryPolicy = { attemptsMax: 5, pauseMs: { first: 50, max: 200 } };
const readOptions = { projection: { webhook: 1 }, ...limited } as const;

/** Implements Webhooks on the `stores` collection. New secrets are encrypted before they are written. */
export class MongoWebhooks implements Webhooks {
  readonly #stores: Collections["stores"];
  readonly #history: MongoStoreHistory;
  readonly #box: SecretBox;
  readonly #clock: Clock;

  constructor(stores: Collections["stores"], history: MongoStoreHistory, box: SecretBox, clock: Clock) {
    this.#stores = stores;
    this.#history = history;
    this.#box = box;
    this.#clock = clock;
  }

  async find(storeId: string): Promise<WebhookSettings | null> {
    const webhook = await databaseCall(() => this.#read(storeId));
    return webhook && settingsOf(webhook);
  }

  async set(
    storeId: string,
    webhook: NewWebhook | null,
    change: StoreChange,
    expectedVersion?: string | undefined,
  ): Promise<SetReport> {
    const { before, after } = await this.#change(storeId, change, (current) => {
      const version = () => webhookVersion(current && settingsOf(current));
      if (expectedVersion !== undefined && version() !== expectedVersion) throw changedMeanwhile();
      if (webhook === null) return null;
      const { url, newSecret } = webhook;
      const format = webhook.format ?? current?.format ?? formatOfNewUrl;
      const secrets =
        newSecret === null ? (current?.secrets ?? null) : { active: this.#newSecret(newSecret, storeId), others: [] };
      return { ...current, url, format, secrets };
    });
    const wasSigned = before !== null && before.secrets !== null;
    return {
      webhook: after && settingsOf(after),
      replacedSecret: wasSigned && (webhook === null || webhook.newSecret !== null),
    };
  }

  async rotateSecret(storeId: string, step: RotationStep<string>, change: StoreChange): Promise<WebhookSettings> {
    const storedStep: RotationStep<StoredSecret> =
      step.kind === "begin" ? { kind: "begin", next: this.#newSecret(step.next, storeId) } : step;
    const { after } = await this.#change(storeId, change, (current) => {
      if (current === null) throw noWebhook();
      return { ...current, secrets: rotateSecrets(current.secrets, storedStep) };
    });
    if (after === null) throw noWebhook();
    return settingsOf(after);
  }

  #newSecret(secret: string, storeId: string): StoredSecret {
    return { text: this.#box.seal(secret, storeId), createdAt: new Date(this.#clock.now()) };
  }

  /**
   * Optimistic concurrency: writes the webhook if it has not changed since it was read; otherwise retries. The read is
   * not part of the transaction: if it were, the transaction would conflict with every certificate change since the
   * read.
   */
  #change(storeId: string, change: StoreChange, next: NextWebhook) {
    const lost = changedMeanwhile();
    const attempt = async () => {
      const before = await this.#read(storeId);
      const after = next(before);
      const isWritten = await this.#history.record(storeId, change, async (session) => {
        const filter = { _id: storeId, webhook: before };
        const { matchedCount } = await this.#stores.updateOne(filter, { $set: { webhook: after } }, { session });
        return { hasChanged: matchedCount > 0, value: matchedCount > 0 };
      });
      if (!isWritten) throw lost;
      return { before, after };
    };
    const isFinal = (error: unknown) => error !== lost;
    return databaseCall(() => retryUntil(attempt, { ...retryPolicy, isFinal, clock: this.#clock }));
  }

  async #read(storeId: string): Promise<WebhookDocument | null> {
    const store = await this.#stores.findOne({ _id: storeId }, readOptions);
    if (store === null) throw notFound("store");
    return store.webhook;
  }
}

function changedMeanwhile(): ServiceError {
  return new ServiceError("conflict", reason("webhook_changed_meanwhile"));
}

function noWebhook(): ServiceError {
  return new ServiceError("failed_precondition", reason("no_webhook_url"));
}

function settingsOf({ url, format, secrets }: WebhookDocument): WebhookSettings {
  if (secrets === null) return { url, format, secrets: [] };
  const others = secrets.others.map(({ role, secret: { createdAt } }) => ({ role, createdAt }));
  return { url, format, secrets: [{ role: "active", createdAt: secrets.active.createdAt }, ...others] };
}
