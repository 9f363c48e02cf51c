import { ConnectorService } from "#gen/registry/v1/connector_service_pb.js";
import { DeliveryService } from "#gen/registry/v1/delivery_service_pb.js";
import { DiagnosticsService } from "#gen/registry/v1/diagnostics_service_pb.js";
import { EdgeService } from "#gen/registry/v1/edge_service_pb.js";
import { InspectionService } from "#gen/registry/v1/inspection_service_pb.js";
import { IssuingService } from "#gen/registry/v1/issuing_service_pb.js";
import { LifecycleService } from "#gen/registry/v1/lifecycle_service_pb.js";
import { LinkService } from "#gen/registry/v1/link_service_pb.js";
import { ListExchangeService } from "#gen/registry/v1/list_exchange_service_pb.js";
import { NotifierService } from "#gen/registry/v1/notifier_service_pb.js";
import { PersonService } from "#gen/registry/v1/person_service_pb.js";
import { ReportService } from "#gen/registry/v1/report_service_pb.js";
import { StoreAdminService } from "#gen/registry/v1/store_admin_service_pb.js";
import { StorefrontService } from "#gen/registry/v1/storefront_service_pb.js";
import { TriggerDeliveryService } from "#gen/registry/v1/trigger_delivery_service_pb.js";
import { TriggerService } from "#gen/registry/v1/trigger_service_pb.js";
import { VerificationService } from "#gen/registry/v1/verification_service_pb.js";
import { ApiKeySettingsService } from "#gen/settings/v1/api_key_settings_service_pb.js";
import { CertificateSettingsService } from "#gen/settings/v1/certificate_settings_service_pb.js";
import { ImportSettingsService } from "#gen/settings/v1/import_settings_service_pb.js";
import { SessionService } from "#gen/settings/v1/session_service_pb.js";
import { StoreSettingsService } from "#gen/settings/v1/store_settings_service_pb.js";
import { StorefrontSettingsService } from "#gen/settings/v1/storefront_settings_service_pb.js";
import { TriggerSettingsService } from "#gen/settings/v1/trigger_settings_service_pb.js";
import { WebhookSettingsService } from "#gen/settings/v1/webhook_settings_service_pb.js";
import type { Peer } from "#shared/rpc/peer-names.ts";

const callers: Readonly<Record<string, readonly Peer[]>> = {
  [EdgeService.typeName]: ["edge"],
  [ListExchangeService.typeName]: ["edge"],
  [VerificationService.typeName]: ["edge"],
  [ConnectorService.typeName]: ["edge"],
  [SessionService.typeName]: ["edge"],
  [StoreSettingsService.typeName]: ["edge"],
  [WebhookSettingsService.typeName]: ["edge"],
  [StorefrontSettingsService.typeName]: ["edge"],
  [TriggerSettingsService.typeName]: ["edge"],
  [ApiKeySettingsService.typeName]: ["edge"],
  [CertificateSettingsService.typeName]: ["edge"],
  [ImportSettingsService.typeName]: ["edge"],
  [NotifierService.typeName]: ["notifier"],
  [TriggerDeliveryService.typeName]: ["notifier"],
  [IssuingService.typeName]: ["operator"],
  [LifecycleService.typeName]: ["operator"],
  [LinkService.typeName]: ["operator"],
  [InspectionService.typeName]: ["operator"],
  [ReportService.typeName]: ["operator"],
  [PersonService.typeName]: ["operator"],
  [StoreAdminService.typeName]: ["operator"],
  [StorefrontService.typeName]: ["operator"],
  [DeliveryService.typeName]: ["operator"],
  [TriggerService.typeName]: ["operator"],
  [DiagnosticsService.typeName]: ["operator"],
  "grpc.health.v1.Health": ["edge", "notifier", "operator"],
  "grpc.reflection.v1.ServerReflection": ["operator"],
  "grpc.reflection.v1alpha.ServerReflection": ["operator"],
};

/** Returns the peers that may call a service's methods; an empty list for an unknown service. */
export function permittedCallers(serviceName: string): readonly Peer[] {
  return Object.hasOwn(callers, serviceName) ? (callers[serviceName] ?? []) : [];
}
