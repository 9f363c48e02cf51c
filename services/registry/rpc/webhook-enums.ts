import { SecretRole, WebhookFormat } from "#gen/registry/v1/notifier_service_pb.js";
import { enumNames } from "./enum-names.ts";

/** Maps the values of `WebhookFormat` to the domain's names and back. */
export const webhookFormatNames = enumNames(WebhookFormat);

/** Maps the values of `SecretRole` to the domain's names and back. */
export const secretRoleNames = enumNames(SecretRole);
