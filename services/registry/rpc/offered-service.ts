import type { DescService } from "@bufbuild/protobuf";
import type { ConnectRouter, ServiceImpl } from "@connectrpc/connect";
import type { Server } from "@grpc/grpc-js";
import type { CallObserver } from "./server/call-context.ts";
import { mountService } from "./server/grpc-server.ts";

/** The rights that an operator API token can have. */
export const rights = ["issue", "change", "inspect", "administer"] as const;

/** A right that an operator API token can have. */
export type Right = (typeof rights)[number];

/** An implementation of a service that can be mounted on several servers. */
export interface OfferedService {
  readonly service: DescService;
  /** The right that the operator API requires for this service's methods; null: available only over internal gRPC. */
  readonly right: Right | null;
  mountOnGrpc(server: Server, observe: CallObserver): void;
  mountOnHttp(router: ConnectRouter): void;
}

/** Combines a service with its implementation and the right that it requires. */
export function offer<S extends DescService>(
  service: S,
  implementation: ServiceImpl<S>,
  right: Right | null,
): OfferedService {
  return {
    service,
    right,
    mountOnGrpc: (server, observe) => mountService(server, service, implementation, observe),
    mountOnHttp: (router) => router.service(service, implementation),
  };
}
