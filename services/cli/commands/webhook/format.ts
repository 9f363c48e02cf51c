import { SecretRole, WebhookFormat } from "#gen/registry/v1/notifier_service_pb.js";
import type { LiveSecret, WebhookSettings } from "#gen/registry/v1/store_admin_service_pb.js";
import { signatureHeaderNames } from "#shared/webhook/signature.ts";
import { enumName } from "../../command/enum-names.ts";
import { timeOrNull, timestampText } from "../../timestamp.ts";

/** Describes a webhook in lines: URL and format, then role, creation time and signature header of each live secret. */
export function webhookLines(webhook: WebhookSettings | undefined): string[] {
  if (webhook === undefined) return ["no webhook is set"];
  const { url, format, secrets } = webhook;
  const first = `${url}  ${enumName(WebhookFormat, format)}`;
  return [first, ...(secrets.length === 0 ? ["messages are not signed"] : secrets.map(secretLine))];
}

function secretLine({ role, createdAt }: LiveSecret): string {
  const created = timestampText(createdAt, "at an unknown time");
  const header = signatureHeaderNames[role] ?? "unknown header";
  return `${enumName(SecretRole, role)} secret, created ${created}: ${header}`;
}

/** Returns the document of a webhook for `--json`; null if the store has no webhook. */
export function webhookDocument(webhook: WebhookSettings | undefined): object | null {
  if (webhook === undefined) return null;
  const secrets = webhook.secrets.map(({ role, createdAt }) => ({
    role: enumName(SecretRole, role),
    createdAt: timeOrNull(createdAt),
    header: signatureHeaderNames[role] ?? null,
  }));
  return { url: webhook.url, format: enumName(WebhookFormat, webhook.format), secrets };
}
