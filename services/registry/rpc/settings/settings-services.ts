import type { ServiceImpl } from "@connectrpc/connect";
import { DeliveryService } from "#gen/registry/v1/delivery_service_pb.js";
import { InspectionService } from "#gen/registry/v1/inspection_service_pb.js";
import { IssuingService } from "#gen/registry/v1/issuing_service_pb.js";
import { LifecycleService } from "#gen/registry/v1/lifecycle_service_pb.js";
import { LinkService } from "#gen/registry/v1/link_service_pb.js";
import { ReportService } from "#gen/registry/v1/report_service_pb.js";
import { StoreAdminService } from "#gen/registry/v1/store_admin_service_pb.js";
import { StorefrontService } from "#gen/registry/v1/storefront_service_pb.js";
import { TriggerService } from "#gen/registry/v1/trigger_service_pb.js";
import { ApiKeySettingsService } from "#gen/settings/v1/api_key_settings_service_pb.js";
import { CertificateSettingsService } from "#gen/settings/v1/certificate_settings_service_pb.js";
import { ImportSettingsService } from "#gen/settings/v1/import_settings_service_pb.js";
import { SessionService } from "#gen/settings/v1/session_service_pb.js";
import { StoreSettingsService } from "#gen/settings/v1/store_settings_service_pb.js";
import { StorefrontSettingsService } from "#gen/settings/v1/storefront_settings_service_pb.js";
import { TriggerSettingsService } from "#gen/settings/v1/trigger_settings_service_pb.js";
import { WebhookSettingsService } from "#gen/settings/v1/webhook_settings_service_pb.js";
import type { AddressGuard } from "#shared/address-guard/address-guard.ts";
import type { OpenSessionDeps } from "../../sessions/open-session.ts";
import { webhookUrlProblem } from "../../stores/change-webhook.ts";
import { setLogo } from "../../stores/set-logo.ts";
import type { StoreDirectory } from "../../stores/store-directory.ts";
import { type OfferedService, offer } from "../offered-service.ts";
import { storeMessage } from "../store-admin-service.ts";
import { type ImportSettingsDeps, importSettingsService } from "./import-settings-service.ts";
import { type InSession, inSessions, sessionOf } from "./in-session.ts";
import { sessionService } from "./session-service.ts";

/** Dependencies of {@link settingsServices}, including the operators' services, to which the settings delegate. */
export interface SettingsServicesDeps extends OpenSessionDeps, Omit<ImportSettingsDeps, "sessions"> {
  readonly admin: ServiceImpl<typeof StoreAdminService>;
  readonly deliveries: ServiceImpl<typeof DeliveryService>;
  readonly inspection: ServiceImpl<typeof InspectionService>;
  readonly issuing: ServiceImpl<typeof IssuingService>;
  readonly lifecycle: ServiceImpl<typeof LifecycleService>;
  readonly links: ServiceImpl<typeof LinkService>;
  readonly reports: ServiceImpl<typeof ReportService>;
  readonly storefront: ServiceImpl<typeof StorefrontService>;
  readonly triggers: ServiceImpl<typeof TriggerService>;
  readonly stores: StoreDirectory;
  readonly guard: AddressGuard;
}

/** Creates the services of the merchants' settings. They rely on sessions, so the operator API does not offer them. */
export function settingsServices(deps: SettingsServicesDeps): OfferedService[] {
  const inSession = inSessions(deps.sessions);
  return [
    offer(SessionService, sessionService(deps), null),
    offer(StoreSettingsService, storeSettings(deps, inSession), null),
    offer(WebhookSettingsService, webhookSettings(deps, inSession), null),
    offer(StorefrontSettingsService, storefrontSettings(deps, inSession), null),
    offer(TriggerSettingsService, triggerSettings(deps, inSession), null),
    offer(ApiKeySettingsService, apiKeySettings(deps, inSession), null),
    offer(ImportSettingsService, importSettingsService(deps), null),
    offer(CertificateSettingsService, certificateSettings(deps, inSession), null),
  ];
}

function storeSettings(
  { admin, inspection, sessions, stores }: SettingsServicesDeps,
  inSession: InSession,
): ServiceImpl<typeof StoreSettingsService> {
  const { method } = StoreAdminService;
  return {
    async getStore(_request, context) {
      const { storeId } = await sessionOf(sessions, context);
      const getStore = inSession(method.getStore, admin.getStore);
      return getStore({ by: { case: "storeId", value: storeId } }, context);
    },
    setPlan: inSession(method.setPlan, admin.setPlan),
    updateSettings: inSession(method.updateSettings, admin.updateSettings),
    async setLogo(request, context) {
      const { storeId, actor } = await sessionOf(sessions, context);
      return { store: storeMessage(await setLogo(stores, { ...request, storeId, actor })) };
    },
    listStoreHistory: inSession(InspectionService.method.listStoreHistory, inspection.listStoreHistory),
  };
}

function webhookSettings(
  { admin, inspection, deliveries, sessions, guard }: SettingsServicesDeps,
  inSession: InSession,
): ServiceImpl<typeof WebhookSettingsService> {
  const { method } = StoreAdminService;
  return {
    getWebhook: inSession(method.getWebhook, admin.getWebhook),
    async checkWebhookUrl({ url }, context) {
      await sessionOf(sessions, context);
      return { problem: webhookUrlProblem(guard, url) ?? "" };
    },
    setWebhook: inSession(method.setWebhook, admin.setWebhook),
    rotateWebhookSecret: inSession(method.rotateWebhookSecret, admin.rotateWebhookSecret),
    sendTestMessage: inSession(DeliveryService.method.sendTestMessage, deliveries.sendTestMessage),
    listDeliveries: inSession(InspectionService.method.listDeliveries, inspection.listDeliveries),
    redeliverEvent: inSession(DeliveryService.method.redeliverEvent, deliveries.redeliverEvent),
  };
}

function storefrontSettings(
  { storefront }: SettingsServicesDeps,
  inSession: InSession,
): ServiceImpl<typeof StorefrontSettingsService> {
  const { method } = StorefrontService;
  return {
    getStorefront: inSession(method.getStorefront, storefront.getStorefront),
    setStorefrontRules: inSession(method.setStorefrontRules, storefront.setStorefrontRules),
    listStorefrontProblems: inSession(method.listStorefrontProblems, storefront.listStorefrontProblems),
    retryStorefront: inSession(method.retryStorefront, storefront.retryStorefront),
    listDataRequests: inSession(method.listDataRequests, storefront.listDataRequests),
    getDataRequestReport: inSession(method.getDataRequestReport, storefront.getDataRequestReport),
  };
}

function triggerSettings(
  { triggers }: SettingsServicesDeps,
  inSession: InSession,
): ServiceImpl<typeof TriggerSettingsService> {
  const { method } = TriggerService;
  return {
    createTrigger: inSession(method.createTrigger, triggers.createTrigger),
    listTriggers: inSession(method.listTriggers, triggers.listTriggers),
    deleteTrigger: inSession(method.deleteTrigger, triggers.deleteTrigger),
    enableTrigger: inSession(method.enableTrigger, triggers.enableTrigger),
    disableTrigger: inSession(method.disableTrigger, triggers.disableTrigger),
    rotateTriggerSecret: inSession(method.rotateTriggerSecret, triggers.rotateTriggerSecret),
    testTrigger: inSession(method.testTrigger, triggers.testTrigger),
    listTriggerDeliveries: inSession(method.listTriggerDeliveries, triggers.listTriggerDeliveries),
  };
}

function apiKeySettings(
  { admin }: SettingsServicesDeps,
  inSession: InSession,
): ServiceImpl<typeof ApiKeySettingsService> {
  const { method } = StoreAdminService;
  return {
    createApiKey: inSession(method.createApiKey, admin.createApiKey),
    listApiKeys: inSession(method.listApiKeys, admin.listApiKeys),
    rollApiKey: inSession(method.rollApiKey, admin.rollApiKey),
    revokeApiKey: inSession(method.revokeApiKey, admin.revokeApiKey),
  };
}

function certificateSettings(
  { inspection, issuing, lifecycle, links, reports }: SettingsServicesDeps,
  inSession: InSession,
): ServiceImpl<typeof CertificateSettingsService> {
  const { method: inspect } = InspectionService;
  const { method: change } = LifecycleService;
  return {
    findCertificates: inSession(inspect.findCertificates, inspection.findCertificates),
    getCertificate: inSession(inspect.getCertificate, inspection.getCertificate),
    getHistory: inSession(inspect.getHistory, inspection.getHistory),
    issueCertificates: inSession(IssuingService.method.issueCertificates, issuing.issueCertificates),
    createSamples: inSession(IssuingService.method.createSamples, issuing.createSamples),
    revokeCertificate: inSession(change.revokeCertificate, lifecycle.revokeCertificate),
    reactivateCertificate: inSession(change.reactivateCertificate, lifecycle.reactivateCertificate),
    transferCertificate: inSession(change.transferCertificate, lifecycle.transferCertificate),
    replaceLink: inSession(LinkService.method.replaceLink, links.replaceLink),
    listReports: inSession(inspect.listReports, inspection.listReports),
    closeReport: inSession(ReportService.method.closeReport, reports.closeReport),
  };
}
