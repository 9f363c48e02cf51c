import { fromBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { Metadata, type ServerDuplexStream } from "@grpc/grpc-js";
import {
  type ExchangeCall,
  type ExchangeRequest,
  ExchangeRequestSchema,
  ListExchangeService,
} from "#gen/registry/v1/list_exchange_service_pb.js";
import { TurnQueue } from "#shared/batching/turn-queue.ts";
import { toConnectError } from "#shared/rpc/error-conversion.ts";
import { acceptsBatchesHeader } from "#shared/rpc/exchange-batches.ts";
import { methodName } from "#shared/rpc/method-name.ts";
import { steadyClock } from "#shared/time/clock.ts";
import { SpanKind, startSpan } from "#shared/trace/spans.ts";
import { handleListRequest, type ListAnswer, type ListRequestDeps } from "../../list-requests/handle-list-request.ts";
import { LoadShedError } from "../../load/load-shed-error.ts";
import { listRequestOf } from "../list-messages.ts";
import { type CallObserver, statusOf } from "../server/call-context.ts";
import { answerReply, batchesOf, drainingNotice, errorReply, type Reply } from "./exchange-replies.ts";

interface ExchangeStreamOptions {
  readonly deps: ListRequestDeps;
  /** Maximum number of requests in progress; further requests are refused. */
  readonly requestsMax: number;
  readonly observe: CallObserver;
  /** Called once, when the stream has ended or is broken. */
  readonly onEnd: () => void;
}

const { method } = ListExchangeService;
const exchangeName = methodName(method.exchange);

/**
 * One edge's stream of list requests. While the edge does not read its replies, no further request is read, so that
 * replies do not pile up.
 */
export class ExchangeStream {
  readonly #call: ServerDuplexStream<Buffer, Reply>;
  readonly #options: ExchangeStreamOptions;
  readonly #acceptsBatches: boolean;
  readonly #outgoing = new TurnQueue<Reply>((replies) => this.#write(replies));
  /** The abort controllers of the requests in progress, by request id. */
  readonly #requests = new Map<number, AbortController>();
  /** `half_closed`: the edge sends no more requests. `ended`: no more replies can be sent. */
  #state: "open" | "half_closed" | "ended" = "open";

  constructor(call: ServerDuplexStream<Buffer, Reply>, options: ExchangeStreamOptions) {
    this.#call = call;
    this.#options = options;
    this.#acceptsBatches = call.metadata.get(acceptsBatchesHeader.name).includes(acceptsBatchesHeader.value);
    call.on("data", (bytes: Buffer) => this.#receive(bytes));
    call.once("end", () => {
      if (this.#state === "open") this.#state = "half_closed";
      this.#endIfDone();
    });
    // grpc-js emits this event when the connection is lost, and at the end of each stream.
    call.once("cancelled", () => this.#end());
    const headers = new Metadata();
    headers.set(acceptsBatchesHeader.name, acceptsBatchesHeader.value);
    // Notifies the edge that the stream is accepted.
    call.sendMetadata(headers);
  }

  /** Asks the edge to send no more requests. */
  drain(): void {
    if (this.#state === "open") this.#call.write(drainingNotice);
  }

  #receive(bytes: Buffer): void {
    if (this.#state !== "open") return;
    const messages = decode(bytes);
    if (messages === undefined) this.#reject("a message cannot be parsed");
    for (const message of messages ?? []) this.#handleMessage(message);
  }

  #handleMessage({ id, kind }: ExchangeRequest): void {
    if (this.#state !== "open") return;
    switch (kind.case) {
      case "call":
        if (this.#requests.has(id)) this.#reject("the request id is already in use");
        else this.#start(id, kind.value);
        return;
      case "cancel":
        this.#requests.get(id)?.abort();
        return;
      default:
        this.#reject("a message cannot be parsed");
    }
  }

  #start(id: number, call: ExchangeCall): void {
    const startedAt = performance.now();
    const isFull = this.#requests.size >= this.#options.requestsMax;
    const controller = new AbortController();
    this.#requests.set(id, controller);
    const deadline = steadyClock.now() + call.timeoutMs;
    const span = startSpan(exchangeName, { kind: SpanKind.SERVER, parent: call.traceparent });
    const handled = isFull
      ? Promise.reject(new LoadShedError("queue_full"))
      : span.run(() => this.#handle(call, deadline, controller));
    const finish = (reply: Reply, error?: ConnectError) => {
      const durationMs = performance.now() - startedAt;
      const { traceId } = span;
      this.#options.observe({ method: exchangeName, durationMs, requestId: call.requestId, traceId, error });
      span.end(error);
      this.#finish(id, reply);
    };
    // An answer that cannot be encoded becomes an error like any other, so that each request gets its reply.
    handled
      .then((answer) => answerReply(id, answer))
      .then(finish, (cause: unknown) => {
        const error = toConnectError(cause);
        finish(errorReply(id, error), error);
      });
  }

  // Async, so that an invalid request rejects the promise and is answered with an error, as any other failure is.
  async #handle({ list }: ExchangeCall, deadline: number, { signal }: AbortController): Promise<ListAnswer> {
    if (list === undefined) throw new ConnectError("the request is empty", Code.InvalidArgument);
    return handleListRequest(this.#options.deps, listRequestOf(list, { deadline, signal }));
  }

  #finish(id: number, reply: Reply): void {
    this.#requests.delete(id);
    this.#outgoing.add(reply);
    this.#endIfDone();
  }

  #write(replies: readonly Reply[]): void {
    if (this.#state === "ended") return;
    const messages = this.#acceptsBatches ? batchesOf(replies) : replies;
    const areAccepted = messages.map((message) => this.#call.write(message));
    if (areAccepted.at(-1) === false && !this.#call.isPaused()) {
      this.#call.pause();
      this.#call.once("drain", () => this.#call.resume());
    }
  }

  #endIfDone(): void {
    if (this.#state !== "half_closed" || this.#requests.size > 0) return;
    this.#outgoing.flush();
    this.#call.end();
  }

  #reject(problem: string): void {
    this.#call.emit("error", statusOf(new ConnectError(problem, Code.InvalidArgument)));
    this.#end();
  }

  #end(): void {
    if (this.#state === "ended") return;
    this.#state = "ended";
    // No reply can reach the edge any more, so further work would be wasted. The edge itself asks the registry to
    // remove these requests from the rate-limit windows.
    for (const controller of this.#requests.values()) controller.abort();
    this.#options.onEnd();
  }
}

/** Decodes a message, or the messages of a batch. @returns undefined if the bytes cannot be parsed */
function decode(bytes: Buffer): readonly ExchangeRequest[] | undefined {
  try {
    const request = fromBinary(ExchangeRequestSchema, bytes);
    return request.kind.case === "batch" ? request.kind.value.messages : [request];
  } catch {
    return undefined;
  }
}
