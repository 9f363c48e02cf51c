import { DeliveryService } from "#gen/registry/v1/delivery_service_pb.js";
import { DiagnosticsService } from "#gen/registry/v1/diagnostics_service_pb.js";
import { InspectionService } from "#gen/registry/v1/inspection_service_pb.js";
import { IssuingService } from "#gen/registry/v1/issuing_service_pb.js";
import { LifecycleService } from "#gen/registry/v1/lifecycle_service_pb.js";
import { LinkService } from "#gen/registry/v1/link_service_pb.js";
import { PersonService } from "#gen/registry/v1/person_service_pb.js";
import { ReportService } from "#gen/registry/v1/report_service_pb.js";
import { StoreAdminService } from "#gen/registry/v1/store_admin_service_pb.js";
import { StorefrontService } from "#gen/registry/v1/storefront_service_pb.js";
import { TriggerService } from "#gen/registry/v1/trigger_service_pb.js";
import { type ClientsOf, createClients } from "#shared/rpc/create-clients.ts";
import { createGrpcClient } from "#shared/rpc/grpc-client.ts";
import type { ChannelSecurity } from "#shared/rpc/grpc-tls.ts";
import { storeHeader } from "#shared/rpc/scope-metadata.ts";
import { withHeaders } from "#shared/rpc/with-headers.ts";
import { actorName } from "./actor-name.ts";

// Long, because a batch of an import may have to wait for other changes to the store. Each change to a certificate gets
// a timestamp in milliseconds that is unique within the store, so a store allows at most 1,000 changes per second.
const timeoutMs = 20_000;

const services = {
  issuing: IssuingService,
  lifecycle: LifecycleService,
  links: LinkService,
  inspection: InspectionService,
  deliveries: DeliveryService,
  reports: ReportService,
  diagnostics: DiagnosticsService,
  persons: PersonService,
  storefront: StorefrontService,
  stores: StoreAdminService,
  triggers: TriggerService,
} as const;

/** The calls to one store. */
export type StoreCalls = ClientsOf<typeof services>;

/**
 * Creates a client that connects to the registry at `host:port` on the first call. Each call names the user of certctl
 * as the actor, whom the registry records in the histories of certificates and stores.
 */
export function createOperatorClient(address: string, security: ChannelSecurity) {
  const transport = createGrpcClient({ address, timeoutMs, security });
  const actor = { "x-actor": actorName() };
  return {
    ...createClients(services, withHeaders(actor, transport)),
    /** Returns the calls to one store. @param store its id or its domain */
    inStore: (store: string): StoreCalls =>
      createClients(services, withHeaders({ ...actor, [storeHeader]: store }, transport)),
    close: () => transport.close(),
  };
}

/** The registry services that certctl calls. */
export type OperatorClient = ReturnType<typeof createOperatorClient>;
