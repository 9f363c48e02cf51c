import type { DescMethod, DescService, Message } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  createContextValues,
  type HandlerContext,
  type MethodImplSpec,
} from "@connectrpc/connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import type { Metadata, ServerDuplexStream, ServerUnaryCall } from "@grpc/grpc-js";
import { headersOf, metadataOf } from "./metadata.ts";

type ServerCall = ServerUnaryCall<Message, Message> | ServerDuplexStream<Message, Message>;

/** A callback for every finished call, for logs and metrics. */
export type CallObserver = (call: {
  /** `package.Service/Method`. */
  readonly method: string;
  readonly durationMs: number;
  readonly error: ConnectError | undefined;
}) => void;

/**
 * Creates the context that a call's handler receives: the caller's headers, the deadline, and a signal that aborts when the
 * caller disconnects, the deadline passes or the call finishes. `finish` ends the context and notifies the observer.
 */
export function openContext(
  call: ServerCall,
  service: DescService,
  spec: MethodImplSpec,
  observe: CallObserver,
) {
  const startedAt = performance.now();
  const context = new GrpcCallContext(call, service, spec.method);
  const onCancelled = () => context.end();
  // grpc-js also emits this event when the deadline passes.
  call.once("cancelled", onCancelled);
  const finish = (error?: ConnectError) => {
    call.removeListener("cancelled", onCancelled);
    context.end();
    const method = `${service.typeName}/${spec.method.name}`;
    observe({ method, durationMs: performance.now() - startedAt, error });
  };
  return { context, finish };
}

const callFinished = new ConnectError("the call has finished", Code.Canceled);

// Creates headers and signal lazily: few handlers use them, and creating them would cost as much as the call itself.
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
  #isFinished = false;

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
      if (this.#isFinished) this.#controller.abort(callFinished);
    }
    return this.#controller.signal;
  }

  get timeoutMs(): () => number | undefined {
    return () => {
      const deadline = this.#call.getDeadline();
      const timeMs = typeof deadline === "number" ? deadline : deadline.getTime();
      return Number.isFinite(timeMs) ? Math.max(1, timeMs - Date.now()) : undefined;
    };
  }

  end(): void {
    this.#isFinished = true;
    this.#controller?.abort(callFinished);
  }
}

/** Converts an error to the status, with its details, that grpc-js sends. */
export function statusOf(error: ConnectError): { code: number; details: string; metadata: Metadata } {
  const metadata = metadataOf(setTrailerStatus(new Headers(), error));
  // grpc-js sends these two itself.
  metadata.remove("grpc-status");
  metadata.remove("grpc-message");
  return { code: error.code, details: error.rawMessage, metadata };
}
