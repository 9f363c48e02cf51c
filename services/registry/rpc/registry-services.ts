import type { DescService } from "@bufbuild/protobuf";
import { ConnectorService } from "#gen/registry/v1/connector_service_pb.js";
import { DeliveryService } from "#gen/registry/v1/delivery_service_pb.js";
import { DiagnosticsService } from "#gen/registry/v1/diagnostics_service_pb.js";
import { EdgeService } from "#gen/registry/v1/edge_service_pb.js";
import { InspectionService } from "#gen/registry/v1/inspection_service_pb.js";
import { IssuingService } from "#gen/registry/v1/issuing_service_pb.js";
import { LifecycleService } from "#gen/registry/v1/lifecycle_service_pb.js";
import { LinkService } from "#gen/registry/v1/link_service_pb.js";
import { ListExchangeService } from "#gen/registry/v1/list_exchange_service_pb.js";
import { ListenService } from "#gen/registry/v1/listen_service_pb.js";
import { NotifierService } from "#gen/registry/v1/notifier_service_pb.js";
import { PersonService } from "#gen/registry/v1/person_service_pb.js";
import { ProductImageService } from "#gen/registry/v1/product_image_service_pb.js";
import { ReportService } from "#gen/registry/v1/report_service_pb.js";
import { StoreAdminService } from "#gen/registry/v1/store_admin_service_pb.js";
import { StorefrontService } from "#gen/registry/v1/storefront_service_pb.js";
import { TriggerDeliveryService } from "#gen/registry/v1/trigger_delivery_service_pb.js";
import { TriggerService } from "#gen/registry/v1/trigger_service_pb.js";
import { VerificationService } from "#gen/registry/v1/verification_service_pb.js";
import { ImportSettingsService } from "#gen/settings/v1/import_settings_service_pb.js";
import { SessionService } from "#gen/settings/v1/session_service_pb.js";

/** All of the registry's own gRPC services, including those that operators cannot call. */
export const registryServices: readonly DescService[] = [
  EdgeService,
  ListExchangeService,
  VerificationService,
  ConnectorService,
  ListenService,
  SessionService,
  ImportSettingsService,
  NotifierService,
  TriggerDeliveryService,
  ProductImageService,
  IssuingService,
  LifecycleService,
  LinkService,
  InspectionService,
  ReportService,
  PersonService,
  StoreAdminService,
  StorefrontService,
  DeliveryService,
  TriggerService,
  DiagnosticsService,
];
