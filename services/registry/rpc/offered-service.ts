import type { DescService } from "@bufbuild/protobuf";
import type { ConnectRouter, ServiceImpl } from "@connectrpc/connect";
import type { Server } from "@grpc/grpc-js";
import { type GrpcMount, mountService } from "./server/grpc-server.ts";

/** An implementation of a service that can be mounted on several servers. */
export interface OfferedService {
  readonly service: DescService;
  mountOnGrpc(server: Pick<Server, "addService">, mount: GrpcMount): void;
  mountOnHttp(router: ConnectRouter): void;
  /**
   * Asks callers to end their long-lived streams; called before the servers close. Omitted by a service without such
   * streams.
   */
  drain?(): void;
}

/** Combines a service with its implementation. */
export function offer<S extends DescService>(service: S, implementation: ServiceImpl<S>): OfferedService {
  return {
    service,
    mountOnGrpc: (server, mount) => mountService(server, service, implementation, mount),
    mountOnHttp: (router) => router.service(service, implementation),
  };
}
