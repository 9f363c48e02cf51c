import { SecretRole, WebhookFormat } from "#gen/registry/v1/notifier_service_pb.js";
import { enumNames } from "./enum-names.ts";

/** The domain's names of the webhook formats. */
export const webhookFormatNames = enumNames({ v1: WebhookFormat.V1, v2: WebhookFormat.V2 });

/** The domain's names of the roles of a live signing secret. */
export const secretRoleNames = enumNames({
  active: SecretRole.ACTIVE,
  next: SecretRole.NEXT,
  previous: SecretRole.PREVIOUS,
});
