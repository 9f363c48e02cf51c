import { timestampDate } from "@bufbuild/protobuf/wkt";
import { SecretRole, WebhookFormat } from "#gen/registry/v1/notifier_service_pb.js";
import type { LiveSecret, WebhookSettings } from "#gen/registry/v1/store_admin_service_pb.js";
import { signatureHeaderNames } from "#shared/webhook/signature.ts";
import { enumName } from "./enum-name.ts";

/** A webhook in lines: URL and format, then each live secret, when it was made and the header that it signs. */
export function webhookLines(webhook: WebhookSettings | undefined): string[] {
  if (webhook === undefined) return ["no webhook is set"];
  const { url, format, secrets } = webhook;
  const first = `${url}  ${enumName(WebhookFormat, format)}`;
  return [first, ...(secrets.length === 0 ? ["messages are not signed"] : secrets.map(secretLine))];
}

function secretLine({ role, createdAt }: LiveSecret): string {
  const made = createdAt === undefined ? "at an unknown time" : timestampDate(createdAt).toISOString();
  return `${SecretRole[role]?.toLowerCase()} secret, made ${made}: ${signatureHeaderNames[role] ?? "unknown header"}`;
}
