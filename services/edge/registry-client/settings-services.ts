import { DeliveryService } from "#gen/registry/v1/delivery_service_pb.js";
import { InspectionService } from "#gen/registry/v1/inspection_service_pb.js";
import { IssuingService } from "#gen/registry/v1/issuing_service_pb.js";
import { LifecycleService } from "#gen/registry/v1/lifecycle_service_pb.js";
import { LinkService } from "#gen/registry/v1/link_service_pb.js";
import { ProductImageService } from "#gen/registry/v1/product_image_service_pb.js";
import { ReportService } from "#gen/registry/v1/report_service_pb.js";
import { StoreAdminService } from "#gen/registry/v1/store_admin_service_pb.js";
import { StorefrontService } from "#gen/registry/v1/storefront_service_pb.js";
import { TriggerService } from "#gen/registry/v1/trigger_service_pb.js";
import { ImportSettingsService } from "#gen/settings/v1/import_settings_service_pb.js";
import { SessionService } from "#gen/settings/v1/session_service_pb.js";

/**
 * The registry's services for merchants' settings. SettingsCalls contains a client for each, under the same key. The
 * registry refuses the methods whose contracts do not list merchants as callers.
 */
export const settingsServices = {
  session: SessionService,
  stores: StoreAdminService,
  inspection: InspectionService,
  issuing: IssuingService,
  lifecycle: LifecycleService,
  links: LinkService,
  reports: ReportService,
  deliveries: DeliveryService,
  storefront: StorefrontService,
  images: ProductImageService,
  triggers: TriggerService,
  imports: ImportSettingsService,
} as const;
