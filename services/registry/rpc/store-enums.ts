import { SecretRole, WebhookFormat } from "#gen/registry/v1/notifier_service_pb.js";
import { EditionStyle, Plan, RotationStep } from "#gen/registry/v1/store_admin_service_pb.js";
import { enumNames } from "./enum-names.ts";

/** Plans on the wire and in the domain. */
export const planNames = enumNames({ basic: Plan.BASIC, pro: Plan.PRO });

/** Edition styles on the wire and in the domain. */
export const editionStyleNames = enumNames({
  number_total: EditionStyle.NUMBER_TOTAL,
  zero_padded: EditionStyle.ZERO_PADDED,
  no_of: EditionStyle.NO_OF,
  number: EditionStyle.NUMBER,
});

/** Webhook formats on the wire and in the domain. */
export const webhookFormatNames = enumNames({ v1: WebhookFormat.V1, v2: WebhookFormat.V2 });

/** What a live signing secret is, on the wire and in the domain. */
export const secretRoleNames = enumNames({
  active: SecretRole.ACTIVE,
  next: SecretRole.NEXT,
  previous: SecretRole.PREVIOUS,
});

/** Steps of a rotation on the wire and in the domain. */
export const rotationStepNames = enumNames({
  begin: RotationStep.BEGIN,
  switch: RotationStep.SWITCH,
  finish: RotationStep.FINISH,
  cancel: RotationStep.CANCEL,
});
