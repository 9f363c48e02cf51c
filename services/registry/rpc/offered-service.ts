import type { DescService } from "@bufbuild/protobuf";
import type { ConnectRouter, ServiceImpl } from "@connectrpc/connect";
import type { Server } from "@grpc/grpc-js";
import type { OperatorRight } from "#shared/operators/operator-entry.ts";
import type { CallObserver } from "./server/call-context.ts";
import { mountService } from "./server/grpc-server.ts";

/** An implementation of a service that can be mounted on several servers. */
export interface OfferedService {
  readonly service: DescService;
  /** The right that the operator API requires for this service's methods; null if only internal gRPC offers them. */
  readonly right: OperatorRight | null;
  mountOnGrpc(server: Server, observe: CallObserver): void;
  mountOnHttp(router: ConnectRouter): void;
  /**
   * Asks callers to end their long-lived streams; called before the servers close. Omitted by a service without such
   * streams.
   */
  drain?(): void;
}

/** Combines a service with its implementation and the operator right that its methods require. */
export function offer<S extends DescService>(
  service: S,
  implementation: ServiceImpl<S>,
  right: OperatorRight | null,
): OfferedService {
  return {
    service,
    right,
    mountOnGrpc: (server, observe) => mountService(server, service, implementation, observe),
    mountOnHttp: (router) => router.service(service, implementation),
  };
}
