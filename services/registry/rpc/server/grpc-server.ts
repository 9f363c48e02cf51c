import { create, type DescMethod, type DescService, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { createServiceImplSpec, type HandlerContext, type MethodImplSpec, type ServiceImpl } from "@connectrpc/connect";
import type { handleUnaryCall, Server, ServiceDefinition, UntypedServiceImplementation } from "@grpc/grpc-js";
import { toConnectError } from "#shared/rpc/error-conversion.ts";
import { methodName } from "#shared/rpc/method-name.ts";
import { callLimitsOf } from "../call-limits-of.ts";
import type { ScopeResolver } from "../resolve-scope.ts";
import type { PeersOfCall } from "./authorize-callers.ts";
import { type CallObserver, headerReader, openContext, type ServerCall, statusOf } from "./call-context.ts";

/** What every mounted service uses. */
export interface GrpcMount {
  readonly observe: CallObserver;
  /** Determines the store that each call concerns. */
  readonly scopes: Pick<ScopeResolver, "check" | "run">;
  readonly peersOfCall: PeersOfCall;
}

/**
 * Mounts a Connect implementation of a service on a grpc-js server.
 *
 * @throws Error immediately for a streaming method
 */
export function mountService<S extends DescService>(
  server: Pick<Server, "addService">,
  service: S,
  implementation: ServiceImpl<S>,
  mount: GrpcMount,
): void {
  const definition: Record<string, ServiceDefinition[string]> = {};
  const handlers: UntypedServiceImplementation = {};
  for (const spec of Object.values(createServiceImplSpec(service, implementation).methods)) {
    if (spec.kind !== "unary") throw new Error(`${spec.method.toString()} streams, which is not supported`);
    definition[spec.method.name] = methodDefinition(spec.method);
    handlers[spec.method.name] = unaryHandler(service, spec, mount);
  }
  server.addService(definition, handlers);
}

/** Returns the grpc-js definition of a method. */
export function methodDefinition(method: DescMethod): ServiceDefinition[string] {
  const streams = method.methodKind === "bidi_streaming";
  return {
    path: `/${methodName(method)}`,
    requestStream: streams,
    responseStream: streams,
    requestSerialize: (message: Message) => Buffer.from(toBinary(method.input, message)),
    requestDeserialize: (bytes: Buffer) => fromBinary(method.input, bytes),
    responseSerialize: (message: Message) => Buffer.from(toBinary(method.output, message)),
    responseDeserialize: (bytes: Buffer) => fromBinary(method.output, bytes),
  };
}

function unaryHandler(
  service: DescService,
  spec: Extract<MethodImplSpec, { kind: "unary" }>,
  mount: GrpcMount,
): handleUnaryCall<Message, Message> {
  return (call, callback) => {
    const { context, finish, span } = openContext(call, service, spec, mount.observe);
    const handle = async () => create(spec.method.output, await spec.impl(call.request, context));
    const answer = () => inScope(mount, call, context, handle);
    span.run(answer).then(
      (reply) => {
        callback(null, reply);
        finish();
      },
      (cause: unknown) => {
        const error = toConnectError(cause);
        callback(statusOf(error));
        finish(error);
      },
    );
  };
}

function inScope<T>(
  { scopes, peersOfCall }: GrpcMount,
  call: ServerCall,
  context: HandlerContext,
  handle: () => Promise<T>,
): Promise<T> {
  const { method, values } = context;
  const incoming = { method, header: headerReader(call), values, caller: { peers: peersOfCall(call) } };
  return scopes.run(incoming, () => callLimitsOf(context), handle);
}
