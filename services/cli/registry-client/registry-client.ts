import { type Client, createClient } from "@connectrpc/connect";
import { IssuingService } from "#gen/registry/v1/issuing_service_pb.js";
import { StoreAdminService } from "#gen/registry/v1/store_admin_service_pb.js";
import { createGrpcClient } from "#shared/rpc/grpc-client.ts";

/** What certctl may call. */
export interface RegistryClient {
  readonly issuing: Client<typeof IssuingService>;
  readonly stores: Client<typeof StoreAdminService>;
  close(): void;
}

// An import may wait for its store's clock, which gives away a thousand times a second.
const timeoutMs = 20_000;

/** A client for the registry at `host:port`. It connects with the first call. */
export function createRegistryClient(address: string): RegistryClient {
  const transport = createGrpcClient({ address, timeoutMs });
  return {
    issuing: createClient(IssuingService, transport),
    stores: createClient(StoreAdminService, transport),
    close: () => transport.close(),
  };
}
