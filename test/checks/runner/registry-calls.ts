import { type Client, createClient } from "@connectrpc/connect";
import { IssuingService } from "#gen/registry/v1/issuing_service_pb.js";
import { LifecycleService } from "#gen/registry/v1/lifecycle_service_pb.js";
import { StoreAdminService } from "#gen/registry/v1/store_admin_service_pb.js";
import { VerificationService } from "#gen/registry/v1/verification_service_pb.js";
import { createGrpcClient } from "#shared/rpc/grpc-client.ts";

/** One registry's calls. */
export interface RegistryCalls {
  readonly issuing: Client<typeof IssuingService>;
  readonly lifecycle: Client<typeof LifecycleService>;
  readonly verification: Client<typeof VerificationService>;
  readonly admin: Client<typeof StoreAdminService>;
  close(): void;
}

// Shorter than the registry itself tries, so that some calls end without a word about what became of them.
const callTimeoutMs = 5_000;

/** Connects to a registry, when first used and again whenever the connection is lost. @param address `host:port` */
export function connectRegistry(address: string): RegistryCalls {
  const transport = createGrpcClient({ address, timeoutMs: callTimeoutMs });
  return {
    issuing: createClient(IssuingService, transport),
    lifecycle: createClient(LifecycleService, transport),
    verification: createClient(VerificationService, transport),
    admin: createClient(StoreAdminService, transport),
    close: () => transport.close(),
  };
}
