import { ApiKeySettingsService } from "#gen/settings/v1/api_key_settings_service_pb.js";
import { CertificateSettingsService } from "#gen/settings/v1/certificate_settings_service_pb.js";
import { ImportSettingsService } from "#gen/settings/v1/import_settings_service_pb.js";
import { SessionService } from "#gen/settings/v1/session_service_pb.js";
import { StoreSettingsService } from "#gen/settings/v1/store_settings_service_pb.js";
import { StorefrontSettingsService } from "#gen/settings/v1/storefront_settings_service_pb.js";
import { TriggerSettingsService } from "#gen/settings/v1/trigger_settings_service_pb.js";
import { WebhookSettingsService } from "#gen/settings/v1/webhook_settings_service_pb.js";

/** The registry's services for merchants' settings. SettingsCalls contains a client for each, under the same key. */
export const settingsServices = {
  session: SessionService,
  store: StoreSettingsService,
  webhook: WebhookSettingsService,
  storefront: StorefrontSettingsService,
  triggers: TriggerSettingsService,
  keys: ApiKeySettingsService,
  certificates: CertificateSettingsService,
  imports: ImportSettingsService,
} as const;
