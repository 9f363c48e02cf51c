import type { SecretBox } from "../../secrets/secret-box.ts";
import type { LiveSecrets } from "../../stores/rotate-secrets.ts";
import type { Webhook, WebhookSettings } from "../../stores/webhooks.ts";
import type { WebhookDocument } from "./documents.ts";

/** A stored signing secret. */
export interface StoredSecret {
  /** Encrypted. */
  readonly text: string;
  readonly createdAt: Date | null;
}

/** Returns the live secrets of a webhook document. */
export function liveSecretsOf(document: WebhookDocument | null): LiveSecrets<StoredSecret> {
  if (document === null || document.secret === null) return { active: null, other: null };
  const { secret, secretCreatedAt, otherSecret } = document;
  return {
    active: { text: secret, createdAt: secretCreatedAt },
    other: otherSecret && {
      role: otherSecret.role,
      secret: { text: otherSecret.secret, createdAt: otherSecret.createdAt },
    },
  };
}

/** Returns the document fields that store the live secrets. */
export function secretFieldsOf({
  active,
  other,
}: LiveSecrets<StoredSecret>): Pick<WebhookDocument, "secret" | "secretCreatedAt" | "otherSecret"> {
  return {
    secret: active?.text ?? null,
    secretCreatedAt: active?.createdAt ?? null,
    otherSecret: other && { role: other.role, secret: other.secret.text, createdAt: other.secret.createdAt },
  };
}

/** Applies `change` to the text of each live secret. */
export function withTexts(
  { active, other }: LiveSecrets<StoredSecret>,
  change: (text: string) => string,
): LiveSecrets<StoredSecret> {
  const changed = (secret: StoredSecret) => ({ ...secret, text: change(secret.text) });
  return {
    active: active && changed(active),
    other: other && { role: other.role, secret: changed(other.secret) },
  };
}

/** Returns the webhook with its secrets decrypted. @throws UnreadableSecret if a secret cannot be decrypted */
export function openWebhook(document: WebhookDocument, storeId: string, box: SecretBox): Webhook {
  const { active, other } = withTexts(liveSecretsOf(document), (text) => box.open(text, storeId));
  return {
    url: document.url,
    format: document.format,
    secret: active?.text ?? null,
    otherSecret: other && { role: other.role, secret: other.secret.text },
  };
}

/** Returns the webhook's settings, without its secrets. */
export function webhookSettingsOf(document: WebhookDocument): WebhookSettings {
  const { active, other } = liveSecretsOf(document);
  return {
    url: document.url,
    format: document.format,
    secrets: [
      ...(active === null ? [] : [{ role: "active" as const, createdAt: active.createdAt }]),
      ...(other === null ? [] : [{ role: other.role, createdAt: other.secret.createdAt }]),
    ],
  };
}
