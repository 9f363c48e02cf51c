import { type Client, createClient, type Transport } from "@connectrpc/connect";
import { ConnectorService } from "#gen/registry/v1/connector_service_pb.js";
import { DeliveryService } from "#gen/registry/v1/delivery_service_pb.js";
import { EdgeService } from "#gen/registry/v1/edge_service_pb.js";
import { InspectionService } from "#gen/registry/v1/inspection_service_pb.js";
import { IssuingService } from "#gen/registry/v1/issuing_service_pb.js";
import { LifecycleService } from "#gen/registry/v1/lifecycle_service_pb.js";
import { LinkService } from "#gen/registry/v1/link_service_pb.js";
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
import { TriggerSettingsService } from "#gen/settings/v1/trigger_settings_service_pb.js";
import { WebhookSettingsService } from "#gen/settings/v1/webhook_settings_service_pb.js";
import { createGrpcClient } from "#shared/rpc/grpc-client.ts";
import type { GrpcCertificates } from "../../../deploy/local/stack/grpc-certificates.ts";
import { channelSecurityOf } from "../channel-security.ts";

/** Clients of every gRPC service of one registry. */
export interface RegistryClients {
  readonly admin: Client<typeof StoreAdminService>;
  readonly connector: Client<typeof ConnectorService>;
  readonly deliveries: Client<typeof DeliveryService>;
  readonly edge: Client<typeof EdgeService>;
  readonly inspection: Client<typeof InspectionService>;
  readonly issuing: Client<typeof IssuingService>;
  readonly lifecycle: Client<typeof LifecycleService>;
  readonly links: Client<typeof LinkService>;
  readonly notifier: Client<typeof NotifierService>;
  readonly persons: Client<typeof PersonService>;
  readonly reports: Client<typeof ReportService>;
  /** The services of the merchants' settings; all but `session.openSession` require the header `x-session`. */
  readonly settings: {
    readonly session: Client<typeof SessionService>;
    readonly store: Client<typeof StoreSettingsService>;
    readonly webhook: Client<typeof WebhookSettingsService>;
    readonly triggers: Client<typeof TriggerSettingsService>;
    readonly keys: Client<typeof ApiKeySettingsService>;
    readonly certificates: Client<typeof CertificateSettingsService>;
    readonly imports: Client<typeof ImportSettingsService>;
  };
  readonly storefront: Client<typeof StorefrontService>;
  readonly triggers: Client<typeof TriggerService>;
  readonly triggerDeliveries: Client<typeof TriggerDeliveryService>;
  readonly verification: Client<typeof VerificationService>;
}

/** Options of {@link connectRegistry}. */
interface ConnectOptions {
  /** Deadline of each call. Default 30 s. */
  readonly timeoutMs?: number | undefined;
  /** The certificates of the callers. Default: no TLS. */
  readonly grpc?: GrpcCertificates | undefined;
}

// A slow database server needs seconds when many calls arrive at once.
const defaultTimeoutMs = 30_000;

/**
 * Creates clients that connect at the first call and reconnect when the connection is lost.
 *
 * @param address `host:port`
 */
export function connectRegistry(
  address: string,
  { timeoutMs = defaultTimeoutMs, grpc }: ConnectOptions = {},
): RegistryClients & { close(): void } {
  const connectAs = (caller: "edge" | "notifier" | "operator") =>
    createGrpcClient({ address, timeoutMs, security: channelSecurityOf(grpc, caller) });
  const transports = { edge: connectAs("edge"), notifier: connectAs("notifier"), operator: connectAs("operator") };
  const close = () => {
    for (const transport of Object.values(transports)) transport.close();
  };
  return { ...clientsOver(transports.operator, transports.edge, transports.notifier), close };
}

/** Creates clients that use the given transports; edge and notifier default to the operator's transport. */
export function clientsOver(operator: Transport, edge = operator, notifier = operator): RegistryClients {
  return {
    admin: createClient(StoreAdminService, operator),
    connector: createClient(ConnectorService, edge),
    deliveries: createClient(DeliveryService, operator),
    edge: createClient(EdgeService, edge),
    inspection: createClient(InspectionService, operator),
    issuing: createClient(IssuingService, operator),
    lifecycle: createClient(LifecycleService, operator),
    links: createClient(LinkService, operator),
    notifier: createClient(NotifierService, notifier),
    persons: createClient(PersonService, operator),
    reports: createClient(ReportService, operator),
    settings: {
      session: createClient(SessionService, edge),
      store: createClient(StoreSettingsService, edge),
      webhook: createClient(WebhookSettingsService, edge),
      triggers: createClient(TriggerSettingsService, edge),
      keys: createClient(ApiKeySettingsService, edge),
      certificates: createClient(CertificateSettingsService, edge),
      imports: createClient(ImportSettingsService, edge),
    },
    storefront: createClient(StorefrontService, operator),
    triggers: createClient(TriggerService, operator),
    triggerDeliveries: createClient(TriggerDeliveryService, notifier),
    verification: createClient(VerificationService, edge),
  };
}
