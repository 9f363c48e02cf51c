import type { DescService } from "@bufbuild/protobuf";
import type { ConnectRouter, ServiceImpl } from "@connectrpc/connect";
import type { Server } from "@grpc/grpc-js";
import type { CallObserver } from "#shared/rpc/call-context.ts";
import { mountService } from "#shared/rpc/grpc-server.ts";

/** What a person's or script's token may be allowed to do over HTTP. */
export const rights = ["issue", "change", "inspect", "administer"] as const;

/** What a person's or script's token may be allowed to do over HTTP. */
export type Right = (typeof rights)[number];

/** One implementation of a service, to be mounted wherever it is needed. */
export interface OfferedService {
  readonly service: DescService;
  /** The right that its methods need over HTTP; null: not offered there, but to inside callers alone. */
  readonly right: Right | null;
  mountOnGrpc(server: Server, observe: CallObserver): void;
  mountOnHttp(router: ConnectRouter): void;
}

/** Offers an implementation. */
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
