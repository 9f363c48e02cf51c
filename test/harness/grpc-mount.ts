import type { CallObserver } from "../../services/registry/rpc/server/call-context.ts";
import type { GrpcMount } from "../../services/registry/rpc/server/grpc-server.ts";

/** Returns what a service of a test needs that does not concern a store, and that any caller may call. */
export function grpcMount(observe: CallObserver): GrpcMount {
  const access = { callers: [], right: null, scope: "no_store", work: null } as const;
  const scopes: GrpcMount["scopes"] = {
    check: () => ({ access, named: null, token: null }),
    run: (_call, _limits, handle) => handle(),
  };
  return { observe, scopes, peersOfCall: () => new Set() };
}
