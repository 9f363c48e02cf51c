import { SecretRole, WebhookFormat } from "#gen/registry/v1/notifier_service_pb.js";
import { EditionStyle } from "#gen/registry/v1/store_admin_service_pb.js";
import { TriggerFormat } from "#gen/registry/v1/trigger_service_pb.js";
import { ReportKind } from "#gen/registry/v1/verification_service_pb.js";
import { enumNames } from "./enum-names.ts";

// The tables that several services use; see {@link enumNames}.
export const webhookFormatNames = enumNames(WebhookFormat);
export const secretRoleNames = enumNames(SecretRole);
export const editionStyleNames = enumNames(EditionStyle);
export const triggerFormatNames = enumNames(TriggerFormat);
export const reportKindNames = enumNames(ReportKind);
