import type { DescService, Message } from "@bufbuild/protobuf";
import { Code, ConnectError, createHandlerContext, type MethodImplSpec } from "@connectrpc/connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import type { Metadata, ServerDuplexStream, ServerUnaryCall } from "@grpc/grpc-js";
import { headersOf, metadataOf } from "./metadata.ts";

/** A grpc-js call as the adapter sees it. */
export type ServerCall = ServerUnaryCall<Message, Message> | ServerDuplexStream<Message, Message>;

/** Told of each finished call; where logs and metrics come from. */
export type CallObserver = (call: {
  /** `package.Service/Method`. */
  readonly method: string;
  readonly durationMs: number;
  /** Undefined for a call that succeeded. */
  readonly error: ConnectError | undefined;
}) => void;

// Each call ends with an abort, which otherwise makes an error of its own each time, with a stack.
const callIsOver = new ConnectError("the call is over", Code.Canceled);

/**
 * What a call's handler is given: the caller's headers, the deadline, and a signal that aborts when the caller is gone or
 * the call is over. `finish` ends it and tells the observer.
 */
export function openContext(
  call: ServerCall,
  service: DescService,
  spec: MethodImplSpec,
  observe: CallObserver,
) {
  const startedAt = performance.now();
  const timeoutMs = remainingMs(call);
  const context = createHandlerContext({
    service,
    method: spec.method,
    protocolName: "grpc",
    requestMethod: "POST",
    url: `http://grpc${call.getPath()}`,
    requestHeader: headersOf(call.metadata),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  const onCancelled = () => context.abort();
  call.once("cancelled", onCancelled);
  const finish = (error?: ConnectError) => {
    call.removeListener("cancelled", onCancelled);
    context.abort(callIsOver);
    const method = `${service.typeName}/${spec.method.name}`;
    observe({ method, durationMs: performance.now() - startedAt, error });
  };
  return { context, finish };
}

/** The status, with its details, that grpc-js sends for an error. */
export function statusOf(error: ConnectError): { code: number; details: string; metadata: Metadata } {
  const metadata = metadataOf(setTrailerStatus(new Headers(), error));
  // grpc-js writes these two itself.
  metadata.remove("grpc-status");
  metadata.remove("grpc-message");
  return { code: error.code, details: error.rawMessage, metadata };
}

function remainingMs(call: ServerCall): number | undefined {
  const deadline = call.getDeadline();
  const at = typeof deadline === "number" ? deadline : deadline.getTime();
  return Number.isFinite(at) ? Math.max(1, at - Date.now()) : undefined;
}
