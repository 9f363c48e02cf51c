import { createHash } from "node:crypto";
import type { LiveSecrets, OtherRole, RotationStep } from "../secrets/rotate-secrets.ts";
import type { StoreChange } from "./store-history.ts";

/** The format of webhook messages (INTERFACE.md §9). */
export type WebhookFormat = "v1" | "v2";

/** The destination of a store's events (INTERFACE.md §4.3), with the secrets that sign them. */
export interface Webhook<Secret = string> {
  /** An https:// URL. */
  readonly url: string;
  readonly format: WebhookFormat;
  /** Null if messages are not signed. */
  readonly secrets: LiveSecrets<Secret> | null;
}

/** A webhook's settings, without the secrets themselves. */
export interface WebhookSettings {
  readonly url: string;
  readonly format: WebhookFormat;
  /** The live signing secrets, the active one first; empty if messages are not signed. */
  readonly secrets: readonly {
    readonly role: "active" | OtherRole;
    readonly createdAt: Date;
  }[];
}

/** The default format of a new webhook. */
export const formatOfNewUrl: WebhookFormat = "v2";

/**
 * Returns what identifies a webhook's URL, format and live secrets; the empty string if there is no webhook. A digest,
 * where settings and rules have a counter: that of a webhook that is removed and set again would begin again.
 */
export function webhookVersion(webhook: WebhookSettings | null): string {
  if (webhook === null) return "";
  const { format, url, secrets } = webhook;
  const identity = [format, url, ...secrets.map(({ createdAt }) => createdAt.getTime())].join(" ");
  return createHash("sha256").update(identity).digest("base64url").slice(0, 16);
}

/** A webhook to store. */
export interface NewWebhook {
  readonly url: string;
  /** Null keeps the current format, or uses {@link formatOfNewUrl} for a new webhook. */
  readonly format: WebhookFormat | null;
  /** Replaces every live secret immediately; null keeps the live secrets. */
  readonly newSecret: string | null;
}

/** The result of {@link Webhooks.set}. */
export interface SetReport {
  /** The new settings; null when the webhook was removed. */
  readonly webhook: WebhookSettings | null;
  /** Whether a live secret was dropped. */
  readonly replacedSecret: boolean;
}

/**
 * Storage of webhooks and their signing secrets, which are encrypted at rest. Each change to a webhook is one atomic
 * step that includes an entry in the store's history. Methods throw ServiceError `not_found` for an unknown store,
 * `conflict` when concurrent changes to the same webhook exhaust the retries, and `unavailable` when the database is
 * unavailable.
 */
export interface Webhooks {
  /** @returns null when the store has no webhook */
  find(storeId: string): Promise<WebhookSettings | null>;
  /**
   * Creates, replaces or removes the store's webhook.
   *
   * @param webhook null removes the webhook
   * @param expectedVersion the {@link webhookVersion} that the current webhook must have, or else `conflict`. Default:
   *   any
   */
  set(
    storeId: string,
    webhook: NewWebhook | null,
    change: StoreChange,
    expectedVersion?: string | undefined,
  ): Promise<SetReport>;
  /** @throws ServiceError as {@link rotateSecrets} does; `failed_precondition` if the store has no webhook */
  rotateSecret(storeId: string, step: RotationStep<string>, change: StoreChange): Promise<WebhookSettings>;
}
