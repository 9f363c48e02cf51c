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

/**
 * What a call's handler is given: the caller's headers, the deadline, and a signal that aborts when the caller is gone, the
 * deadline has passed or the call is over. `finish` ends it and tells the observer.
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
  // grpc-js tells of a deadline in the same way.
  call.once("cancelled", onCancelled);
  const finish = (error?: ConnectError) => {
    call.removeListener("cancelled", onCancelled);
    context.end();
    const method = `${service.typeName}/${spec.method.name}`;
    observe({ method, durationMs: performance.now() - startedAt, error });
  };
  return { context, finish };
}

const callIsOver = new ConnectError("the call is over", Code.Canceled);

/** Makes what it holds when it is asked for: few handlers ask for much of it, and it would cost as much as their call. */
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
  #isOver = false;

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
      if (this.#isOver) this.#controller.abort(callIsOver);
    }
    return this.#controller.signal;
  }

  get timeoutMs(): () => number | undefined {
    return () => remainingMs(this.#call);
  }

  end(): void {
    this.#isOver = true;
    this.#controller?.abort(callIsOver);
  }
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
