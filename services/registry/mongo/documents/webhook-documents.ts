import { type LiveSecrets, mapSecrets } from "../../secrets/rotate-secrets.ts";
import type { SecretBox } from "../../secrets/secret-box.ts";
import type { Webhook, WebhookSettings } from "../../stores/webhooks.ts";
import type { WebhookDocument } from "./documents.ts";

/** A stored signing secret. */
export interface StoredSecret {
  /** Encrypted. */
  readonly text: string;
  readonly createdAt: Date;
}

/** Returns the live secrets of a webhook document; null if messages are not signed. */
export function webhookSecretsOf(document: WebhookDocument | null): LiveSecrets<StoredSecret> | null {
  const { secret: text = null, secretCreatedAt, otherSecret = null } = document ?? {};
  // The secret alone decides: without its time, which is always stored with it, messages must not be sent unsigned.
  if (text === null) return null;
  const createdAt = secretCreatedAt ?? new Date(0);
  const others = otherSecret === null ? [] : [otherSecret];
  return {
    active: { text, createdAt },
    others: others.map(({ role, secret, createdAt }) => ({ role, secret: { text: secret, createdAt }, until: null })),
  };
}

/** Returns the document fields that store the live secrets. */
export function webhookSecretFields(
  live: LiveSecrets<StoredSecret> | null,
): Pick<WebhookDocument, "secret" | "secretCreatedAt" | "otherSecret"> {
  if (live === null) return { secret: null, secretCreatedAt: null, otherSecret: null };
  const { active, others } = live;
  const [otherSecret = null] = others.map(({ role, secret: { text, createdAt } }) => ({
    role,
    secret: text,
    createdAt,
  }));
  return { secret: active.text, secretCreatedAt: active.createdAt, otherSecret };
}

/** Returns the webhook with its secrets decrypted. @throws UnreadableSecret if a secret cannot be decrypted */
export function openWebhook(document: WebhookDocument, storeId: string, box: SecretBox): Webhook {
  const { url, format } = document;
  const live = webhookSecretsOf(document);
  if (live === null) return { url, format, secret: null, otherSecret: null };
  const { active: secret, others } = mapSecrets(live, ({ text }) => box.open(text, storeId));
  return { url, format, secret, otherSecret: others[0] ?? null };
}

/** Returns the webhook's settings, without its secrets. */
export function webhookSettingsOf(document: WebhookDocument): WebhookSettings {
  const { url, format } = document;
  const live = webhookSecretsOf(document);
  if (live === null) return { url, format, secrets: [] };
  const others = live.others.map(({ role, secret: { createdAt } }) => ({ role, createdAt }));
  return { url, format, secrets: [{ role: "active", createdAt: live.active.createdAt }, ...others] };
}
