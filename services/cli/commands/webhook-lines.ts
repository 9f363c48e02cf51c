import { timestampDate } from "@bufbuild/protobuf/wkt";
import { SecretRole, WebhookFormat } from "#gen/registry/v1/notifier_service_pb.js";
import type { LiveSecret, WebhookSettings } from "#gen/registry/v1/store_admin_service_pb.js";
import { signatureHeaderNames } from "#shared/webhook/signature.ts";

/** A webhook in lines: URL and format, then each live secret, when it was made and the header that it signs. */
export function webhookLines(webhook: WebhookSettings | undefined): string[] {
  if (webhook === undefined) return ["no webhook is set"];
  const { url, format, secrets } = webhook;
  const first = `${url}  ${formatName(format)}`;
  return [first, ...(secrets.length === 0 ? ["messages are not signed"] : secrets.map(secretLine))];
}

/** A format as options and lines name it: `v1`, `v2`. */
export function formatName(format: WebhookFormat): string {
  return (WebhookFormat[format] ?? String(format)).toLowerCase();
}

function secretLine({ role, createdAt }: LiveSecret): string {
  const made = createdAt === undefined ? "at an unknown time" : timestampDate(createdAt).toISOString();
  return `${SecretRole[role]?.toLowerCase()} secret, made ${made}: ${signatureHeaderNames[role] ?? "unknown header"}`;
}
