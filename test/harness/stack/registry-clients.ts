import { randomBytes } from "node:crypto";
import type { Transport } from "@connectrpc/connect";
import { ConnectorService } from "#gen/registry/v1/connector_service_pb.js";
import { DeliveryService } from "#gen/registry/v1/delivery_service_pb.js";
import { EdgeService, type HandleListResponse } from "#gen/registry/v1/edge_service_pb.js";
import { InspectionService } from "#gen/registry/v1/inspection_service_pb.js";
import { IssuingService } from "#gen/registry/v1/issuing_service_pb.js";
import { LifecycleService } from "#gen/registry/v1/lifecycle_service_pb.js";
import { LinkService } from "#gen/registry/v1/link_service_pb.js";
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
import { type ClientsOf, createClients } from "#shared/rpc/create-clients.ts";
import { createGrpcClient } from "#shared/rpc/grpc-client.ts";
import { steadyClock } from "#shared/time/clock.ts";
import type { GrpcCertificates } from "../../../deploy/local/stack/grpc-certificates.ts";
import type { ListRequest } from "../../../services/edge/registry-client/list-exchange/list-call.ts";
import { ListExchange } from "../../../services/edge/registry-client/list-exchange/list-exchange.ts";
import { settingsServices } from "../../../services/edge/registry-client/settings-services.ts";
import { channelSecurityOf } from "../channel-security.ts";

/** The services that operators call, except DiagnosticsService. */
export const operatorServices = {
  admin: StoreAdminService,
  deliveries: DeliveryService,
  inspection: InspectionService,
  issuing: IssuingService,
  lifecycle: LifecycleService,
  links: LinkService,
  persons: PersonService,
  reports: ReportService,
  storefront: StorefrontService,
  triggers: TriggerService,
} as const;

const edgeServices = {
  connector: ConnectorService,
  edge: EdgeService,
  listen: ListenService,
  verification: VerificationService,
} as const;

const notifierServices = {
  notifier: NotifierService,
  triggerDeliveries: TriggerDeliveryService,
  productImages: ProductImageService,
} as const;

/** Clients of the gRPC services of one registry, except DiagnosticsService and ListExchangeService. */
export interface RegistryClients
  extends ClientsOf<typeof operatorServices>,
    ClientsOf<typeof edgeServices>,
    ClientsOf<typeof notifierServices> {
  /** Clients for the merchants' settings. Calls other than `openSession` need the header `x-session`. */
  readonly settings: ClientsOf<typeof settingsServices>;
}

/** The list requests of an edge, over a stream of ListExchangeService that opens with the first request. */
interface ListCalls {
  /** Sends a list request. */
  handleList(request: ListRequest, options?: { readonly signal?: AbortSignal }): Promise<HandleListResponse>;
  /** Sends a list request without a page. @param request a SHA-256 of an API key */
  admit(request: { readonly keySha256: Uint8Array }): Promise<HandleListResponse>;
}

/** {@link RegistryClients} over gRPC, with the list requests of an edge. */
export interface ConnectedRegistry extends RegistryClients {
  readonly edge: RegistryClients["edge"] & ListCalls;
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
): ConnectedRegistry & { close(): void } {
  const connectAs = (caller: "edge" | "notifier" | "operator") =>
    createGrpcClient({ address, timeoutMs, security: channelSecurityOf(grpc, caller) });
  const transports = { edge: connectAs("edge"), notifier: connectAs("notifier"), operator: connectAs("operator") };
  const clients = clientsOver(transports.operator, transports.edge, transports.notifier);
  const security = channelSecurityOf(grpc, "edge");
  let exchange: ListExchange | undefined;
  const handleList: ListCalls["handleList"] = (request, { signal = new AbortController().signal } = {}) => {
    exchange ??= new ListExchange({ address, security, clock: steadyClock });
    return exchange.handleList(request, { requestId: "test", timeoutMs, signal });
  };
  const admit: ListCalls["admit"] = ({ keySha256 }) => handleList({ keySha256, admissionId: randomBytes(16) });
  const close = () => {
    exchange?.close();
    for (const transport of Object.values(transports)) transport.close();
  };
  return { ...clients, edge: { ...clients.edge, handleList, admit }, close };
}

/** Creates clients that use the given transports; edge and notifier default to the operator's transport. */
export function clientsOver(operator: Transport, edge = operator, notifier = operator): RegistryClients {
  return {
    ...createClients(operatorServices, operator),
    ...createClients(edgeServices, edge),
    ...createClients(notifierServices, notifier),
    settings: createClients(settingsServices, edge),
  };
}
