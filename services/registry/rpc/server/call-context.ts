import type { DescMethod, DescService, Message } from "@bufbuild/protobuf";
import { Code, ConnectError, createContextValues, type HandlerContext, type MethodImplSpec } from "@connectrpc/connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import type { Metadata, ServerDuplexStream, ServerUnaryCall } from "@grpc/grpc-js";
import { headersOf, metadataOf } from "#shared/rpc/metadata.ts";
import { methodName } from "#shared/rpc/method-name.ts";
import { SpanKind, startSpan } from "#shared/trace/spans.ts";

/** A call that grpc-js passes to a unary or bidirectional handler. */
export type ServerCall = ServerUnaryCall<Message, Message> | ServerDuplexStream<Message, Message>;

/** Called after each call; feeds logs and metrics. */
export type CallObserver = (call: {
  /** `package.Service/Method`. */
  readonly method: string;
  readonly durationMs: number;
  /** Id of the API request for which the call was made, if the caller sent it in the message. */
  readonly requestId?: string;
  /** Id of the call's trace; undefined while calls are not traced. */
  readonly traceId?: string | undefined;
  /** Undefined for a successful call. */
  readonly error: ConnectError | undefined;
}) => void;

/**
 * Creates the Connect context of a call: the caller's headers, the deadline, and a signal that aborts when the caller
 * disconnects, the deadline expires or the call ends. `finish` aborts the signal, notifies the observer and ends the
 * call's span; the handler must run in the span.
 */
export function openContext(call: ServerCall, service: DescService, spec: MethodImplSpec, observe: CallObserver) {
  const startedAt = performance.now();
  const context = new GrpcCallContext(call, service, spec.method);
  const onCancelled = () => context.end();
  // grpc-js also emits "cancelled" for an expired deadline.
  call.once("cancelled", onCancelled);
  const method = methodName(spec.method);
  const span = startSpan(method, { kind: SpanKind.SERVER, parent: traceparentOf(call.metadata) });
  const finish = (error?: ConnectError) => {
    call.removeListener("cancelled", onCancelled);
    context.end();
    observe({ method, durationMs: performance.now() - startedAt, traceId: span.traceId, error });
    span.end(error);
  };
  return { context, finish, span };
}

/** Returns a reader of single values of metadata, because converting all of it takes longer. */
export function headerReader({ metadata }: { readonly metadata: Metadata }): Pick<Headers, "get"> {
  return {
    get: (name) => {
      const found = metadata.get(name);
      return found.length === 0 ? null : found.join(", ");
    },
  };
}

function traceparentOf(metadata: Metadata): string {
  const [value] = metadata.get("traceparent");
  return typeof value === "string" ? value : "";
}

const callEnded = new ConnectError("the call has ended", Code.Canceled);

/**
 * Creates the request headers and the signal on first use: creating every member at the start would take as long as
 * the call itself.
 */
class GrpcCallContext implements HandlerContext {
  readonly protocolName = "grpc";
  readonly requestMethod = "POST";
  readonly service: DescService;
  readonly method: DescMethod;
  readonly values = createContextValues();
  readonly responseHeader = new Headers();
  readonly responseTrailer = new Headers();
  readonly #call: ServerCall;
  #requestHeader: Headers | undefined;
  #controller: AbortController | undefined;
  #hasEnded = false;

  constructor(call: ServerCall, service: DescService, method: DescMethod) {
    this.#call = call;
    this.service = service;
    this.method = method;
  }

  get url(): string {
    return `http://grpc${this.#call.getPath()}`;
  }

  get requestHeader(): Headers {
    this.#requestHeader ??= headersOf(this.#call.metadata);
    return this.#requestHeader;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#hasEnded) this.#controller.abort(callEnded);
    }
    return this.#controller.signal;
  }

  get timeoutMs(): () => number | undefined {
    return () => remainingMs(this.#call);
  }

  end(): void {
    this.#hasEnded = true;
    this.#controller?.abort(callEnded);
  }
}

/** Converts an error to the status that grpc-js sends, with the error details in the metadata. */
export function statusOf(error: ConnectError): { code: number; details: string; metadata: Metadata } {
  const metadata = metadataOf(setTrailerStatus(new Headers(), error));
  // grpc-js adds grpc-status and grpc-message itself.
  metadata.remove("grpc-status");
  metadata.remove("grpc-message");
  return { code: error.code, details: error.rawMessage, metadata };
}

function remainingMs(call: ServerCall): number | undefined {
  const deadline = call.getDeadline();
  const at = typeof deadline === "number" ? deadline : deadline.getTime();
  return Number.isFinite(at) ? Math.max(0, at - Date.now()) : undefined;
}
