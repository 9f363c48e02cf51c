import {
  create,
  type DescMethodUnary,
  type DescService,
  fromBinary,
  type Message,
  toBinary,
} from "@bufbuild/protobuf";
import {
  type ConnectError,
  createHandlerContext,
  createServiceImplSpec,
  type MethodImplSpec,
  type ServiceImpl,
} from "@connectrpc/connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import type {
  handleUnaryCall,
  Metadata,
  Server,
  ServerUnaryCall,
  ServiceDefinition,
  UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { toConnectError } from "./error-conversion.ts";
import { headersOf, metadataOf } from "./metadata.ts";

/** Told of each finished call; where logs and metrics come from. */
export type CallObserver = (call: {
  /** `package.Service/Method`. */
  readonly method: string;
  readonly durationMs: number;
  /** Undefined for a call that succeeded. */
  readonly error: ConnectError | undefined;
}) => void;

/**
 * Mounts a service that is written as a Connect implementation on a grpc-js server. Only unary methods can be mounted.
 *
 * @throws Error at once for a method that streams or is not implemented
 */
export function mountService<S extends DescService>(
  server: Server,
  service: S,
  implementation: ServiceImpl<S>,
  observe: CallObserver,
): void {
  const definition: Record<string, ServiceDefinition[string]> = {};
  const handlers: UntypedServiceImplementation = {};
  for (const spec of Object.values(createServiceImplSpec(service, implementation).methods)) {
    if (spec.kind !== "unary") throw new Error(`${spec.method.toString()} streams, which is not supported`);
    definition[spec.method.name] = methodDefinition(spec.method);
    handlers[spec.method.name] = unaryHandler(service, spec, observe);
  }
  server.addService(definition, handlers);
}

function methodDefinition(method: DescMethodUnary): ServiceDefinition[string] {
  return {
    path: `/${method.parent.typeName}/${method.name}`,
    requestStream: false,
    responseStream: false,
    requestSerialize: (message: Message) => Buffer.from(toBinary(method.input, message)),
    requestDeserialize: (bytes: Buffer) => fromBinary(method.input, bytes),
    responseSerialize: (message: Message) => Buffer.from(toBinary(method.output, message)),
    responseDeserialize: (bytes: Buffer) => fromBinary(method.output, bytes),
  };
}

function unaryHandler(
  service: DescService,
  spec: Extract<MethodImplSpec, { kind: "unary" }>,
  observe: CallObserver,
): handleUnaryCall<Message, Message> {
  const path = `${service.typeName}/${spec.method.name}`;
  return (call, callback) => {
    const startedAt = performance.now();
    const context = contextOf(call, service, spec);
    const onCancelled = () => context.abort();
    call.once("cancelled", onCancelled);
    const finish = (error?: ConnectError) => {
      call.removeListener("cancelled", onCancelled);
      context.abort();
      observe({ method: path, durationMs: performance.now() - startedAt, error });
    };
    Promise.resolve()
      .then(() => spec.impl(call.request, context))
      .then(
        (reply) => {
          callback(null, create(spec.method.output, reply));
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

function contextOf(call: ServerUnaryCall<Message, Message>, service: DescService, spec: MethodImplSpec) {
  const timeoutMs = remainingMs(call);
  return createHandlerContext({
    service,
    method: spec.method,
    protocolName: "grpc",
    requestMethod: "POST",
    url: `http://grpc${call.getPath()}`,
    requestHeader: headersOf(call.metadata),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
}

function remainingMs(call: ServerUnaryCall<Message, Message>): number | undefined {
  const deadline = call.getDeadline();
  const at = typeof deadline === "number" ? deadline : deadline.getTime();
  return Number.isFinite(at) ? Math.max(1, at - Date.now()) : undefined;
}

function statusOf(error: ConnectError): { code: number; details: string; metadata: Metadata } {
  const metadata = metadataOf(setTrailerStatus(new Headers(), error));
  // grpc-js writes these two itself.
  metadata.remove("grpc-status");
  metadata.remove("grpc-message");
  return { code: error.code, details: error.rawMessage, metadata };
}
