import type { IncomingMessage, ServerResponse } from "node:http";
import type { DescMethod } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import type { OperatorEntry } from "#shared/operators/operator-entry.ts";
import { methodName } from "#shared/rpc/method-name.ts";

/** A finished call, for logs and metrics. */
interface FinishedCall {
  /** `package.Service/Method`. */
  readonly method: string;
  /** Name of the operator; the empty string if the call was not authenticated. */
  readonly actor: string;
  /** IP address of the caller, or of a proxy in between; the empty string if it is unknown. */
  readonly peer: string;
  /** Name of the Connect code, such as `NotFound`, or `OK`. */
  readonly code: string;
  readonly durationMs: number;
  /** Cause of the error, for the log; undefined if there is none. */
  readonly cause: unknown;
  /** Whether the caller has failed to authenticate too often. Such a call is counted, but not logged. */
  readonly isLimited: boolean;
}

/** Receives each call of the operator API once its response has been sent or its connection is closed. */
export type OperatorCallObserver = (call: FinishedCall) => void;

/** A call of the operator API. Passes its recorded outcome to the observer when the response closes. */
export class OperatorCall {
  readonly method: DescMethod;
  readonly peer: string;
  readonly #startedAt = performance.now();
  #operator: OperatorEntry | undefined;
  #outcome: ConnectError | "OK" | undefined;
  #isLimited = false;

  constructor(method: DescMethod, request: IncomingMessage, response: ServerResponse, observe: OperatorCallObserver) {
    this.method = method;
    this.peer = request.socket.remoteAddress ?? "";
    response.once("close", () => observe(this.#finished(response)));
  }

  /** The operator that sent the call; undefined until authentication succeeds. */
  get operator(): OperatorEntry | undefined {
    return this.#operator;
  }

  authenticated(operator: OperatorEntry): void {
    this.#operator = operator;
  }

  succeeded(): void {
    this.#outcome = "OK";
  }

  failed(error: ConnectError, { isLimited = false } = {}): void {
    this.#outcome = error;
    this.#isLimited = isLimited;
  }

  #finished(response: ServerResponse): FinishedCall {
    const outcome = this.#outcome;
    return {
      method: methodName(this.method),
      actor: this.#operator?.actor ?? "",
      peer: this.peer,
      code: outcome === "OK" ? outcome : Code[outcome?.code ?? codeOfResponse(response)],
      durationMs: performance.now() - this.#startedAt,
      cause: outcome === "OK" ? undefined : outcome?.cause,
      isLimited: this.#isLimited,
    };
  }
}

/**
 * Returns the code of a call without a recorded outcome: its client disconnected, or Connect rejected its request, for
 * example because the body could not be decoded.
 */
function codeOfResponse({ statusCode, writableFinished }: ServerResponse): Code {
  if (!writableFinished) return Code.Canceled;
  return codesByStatus[statusCode] ?? Code.Unknown;
}

const codesByStatus: Readonly<Record<number, Code>> = {
  400: Code.InvalidArgument,
  405: Code.Unimplemented,
  415: Code.Unimplemented,
  429: Code.ResourceExhausted,
};
