import { type Client, createClient, type Transport } from "@connectrpc/connect";
import { DeliveryService } from "#gen/registry/v1/delivery_service_pb.js";
import { EdgeService } from "#gen/registry/v1/edge_service_pb.js";
import { InspectionService } from "#gen/registry/v1/inspection_service_pb.js";
import { IssuingService } from "#gen/registry/v1/issuing_service_pb.js";
import { LifecycleService } from "#gen/registry/v1/lifecycle_service_pb.js";
import { NotifierService } from "#gen/registry/v1/notifier_service_pb.js";
import { ReportService } from "#gen/registry/v1/report_service_pb.js";
import { StoreAdminService } from "#gen/registry/v1/store_admin_service_pb.js";
import { VerificationService } from "#gen/registry/v1/verification_service_pb.js";
import { createGrpcClient } from "#shared/rpc/grpc-client.ts";

/** Clients of every gRPC service of one registry. */
export interface RegistryClients {
  readonly admin: Client<typeof StoreAdminService>;
  readonly deliveries: Client<typeof DeliveryService>;
  readonly edge: Client<typeof EdgeService>;
  readonly inspection: Client<typeof InspectionService>;
  readonly issuing: Client<typeof IssuingService>;
  readonly lifecycle: Client<typeof LifecycleService>;
  readonly notifier: Client<typeof NotifierService>;
  readonly reports: Client<typeof ReportService>;
  readonly verification: Client<typeof VerificationService>;
}

// A slow database server needs seconds when many calls arrive at once.
const defaultTimeoutMs = 30_000;

/**
 * Creates clients that connect at the first call and reconnect when the connection is lost.
 *
 * @param address `host:port`
 * @param timeoutMs deadline of each call
 */
export function connectRegistry(address: string, timeoutMs = defaultTimeoutMs): RegistryClients & { close(): void } {
  const transport = createGrpcClient({ address, timeoutMs });
  return { ...clientsOver(transport), close: () => transport.close() };
}

/** Creates clients that use the same transport. */
export function clientsOver(transport: Transport): RegistryClients {
  return {
    admin: createClient(StoreAdminService, transport),
    deliveries: createClient(DeliveryService, transport),
    edge: createClient(EdgeService, transport),
    inspection: createClient(InspectionService, transport),
    issuing: createClient(IssuingService, transport),
    lifecycle: createClient(LifecycleService, transport),
    notifier: createClient(NotifierService, transport),
    reports: createClient(ReportService, transport),
    verification: createClient(VerificationService, transport),
  };
}
