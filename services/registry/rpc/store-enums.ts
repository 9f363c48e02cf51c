import { SecretRole, WebhookFormat } from "#gen/registry/v1/notifier_service_pb.js";
import { EditionStyle, Plan, RotationStep } from "#gen/registry/v1/store_admin_service_pb.js";
import { enumNames } from "./enum-names.ts";

/** Names of the plans. */
export const planNames = enumNames({ basic: Plan.BASIC, pro: Plan.PRO });

/** Names of the edition styles. */
export const editionStyleNames = enumNames({
  number_total: EditionStyle.NUMBER_TOTAL,
  zero_padded: EditionStyle.ZERO_PADDED,
  no_of: EditionStyle.NO_OF,
  number: EditionStyle.NUMBER,
});

/** Names of the webhook formats. */
export const webhookFormatNames = enumNames({ v1: WebhookFormat.V1, v2: WebhookFormat.V2 });

/** Names of the roles of a live signing secret. */
export const secretRoleNames = enumNames({
  active: SecretRole.ACTIVE,
  next: SecretRole.NEXT,
  previous: SecretRole.PREVIOUS,
});

/** Names of the steps of a secret rotation. */
export const rotationStepNames = enumNames({
  begin: RotationStep.BEGIN,
  switch: RotationStep.SWITCH,
  finish: RotationStep.FINISH,
  cancel: RotationStep.CANCEL,
});
