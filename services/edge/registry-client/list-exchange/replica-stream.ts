import { Code, ConnectError } from "@connectrpc/connect";
import { Client, type ClientDuplexStream, Metadata, type StatusObject, status } from "@grpc/grpc-js";
import type { HandleListResponse } from "#gen/registry/v1/edge_service_pb.js";
import { type ExchangeResponse, ListExchangeService } from "#gen/registry/v1/list_exchange_service_pb.js";
import { TurnQueue } from "#shared/batching/turn-queue.ts";
import { channelOptions } from "#shared/rpc/channel-options.ts";
import { acceptsBatchesHeader } from "#shared/rpc/exchange-batches.ts";
import type { ChannelSecurity } from "#shared/rpc/grpc-tls.ts";
import { methodName } from "#shared/rpc/method-name.ts";
import { activeTraceparent } from "#shared/trace/spans.ts";
import { batchOfRequests, decodeResponses, encodeRequest, errorOf } from "./exchange-messages.ts";
import type { CallOptions, ListRequest } from "./list-call.ts";
import { PendingRequests } from "./pending-requests.ts";

/** The callbacks of a stream. Each is called at most once. */
interface StreamEvents {
  /** The registry has accepted the stream. */
  readonly onOpened: () => void;
  /** The registry is stopping: no more requests may be sent. */
  readonly onDraining: () => void;
  /** The stream has ended, or could not be opened. */
  readonly onEnded: (cause: EndCause) => void;
}

/** Why a stream ended, or could not be opened. */
export interface EndCause {
  /** The stream's gRPC status; `unavailable` if the registry ended it without an error. */
  readonly code: Code;
  readonly reason: string;
}

/** The replica to which a stream connects. */
export interface StreamTarget {
  /** Address of the replica: `ip:port`, with an IPv6 address in brackets. */
  readonly address: string;
  /** The registry's name and port; if its addresses are fixed, the address of the replica. */
  readonly authority: string;
  readonly security: ChannelSecurity;
}

// Large enough for many 60 KB pages at the same time; grpc-js servers ignore this option and use 64 KB for requests.
const flowControlWindowBytes = 4 * 1_024 * 1_024;
// A replica whose host has disappeared does not even refuse the connection.
const openTimeoutMs = 5_000;

const options = {
  ...channelOptions,
  "grpc-node.flow_control_window": flowControlWindowBytes,
  // Each stream has a connection of its own, which ends with the stream.
  "grpc.use_local_subchannel_pool": 1,
  // With retries, grpc-js would keep copies of the messages.
  "grpc.enable_retries": 0,
  "grpc.enable_channelz": 0,
} as const;

const path = `/${methodName(ListExchangeService.method.exchange)}`;
const asIs = (bytes: Buffer) => bytes;

/**
 * A stream of list requests to one registry replica, and its connection. Requests are written without waiting for the
 * registry to read them: they are small, and the keepalive closes the connection to a frozen registry after at most
 * 35 seconds.
 */
export class ReplicaStream {
  readonly #client: Client;
  readonly #call: ClientDuplexStream<Buffer, Buffer>;
  readonly #events: StreamEvents;
  readonly #pending = new PendingRequests({
    onTimeout: (id, sentAt) => this.#onTimeout(id, sentAt),
    onLeave: (id) => this.#onLeave(id),
  });
  readonly #outgoing = new TurnQueue<Buffer>((messages) => this.#write(messages));
  #state: "opening" | "open" | "draining" | "closed" = "opening";
  #acceptsBatches = false;
  #receivedAt = 0;
  #isSilent = false;

  constructor({ address, authority, security }: StreamTarget, events: StreamEvents) {
    this.#events = events;
    const target = `${address.startsWith("[") ? "ipv6" : "ipv4"}:${address}`;
    const channel = { ...options, ...security.options, "grpc.default_authority": authority };
    this.#client = new Client(target, security.credentials, channel);
    this.#call = this.#client.makeBidiStreamRequest(path, asIs, asIs, acceptingBatches());
    const timer = setTimeout(() => this.close("the registry did not accept the stream in time"), openTimeoutMs);
    this.#call.once("metadata", (headers: Metadata) => {
      clearTimeout(timer);
      this.#acceptsBatches = headers.get(acceptsBatchesHeader.name).includes(acceptsBatchesHeader.value);
      if (this.#state !== "opening") return;
      this.#state = "open";
      events.onOpened();
    });
    this.#call.on("data", (bytes: Buffer) => this.#receive(bytes));
    // The `status` event, which follows, contains the error.
    this.#call.on("error", () => undefined);
    this.#call.once("status", (end: StatusObject) => {
      clearTimeout(timer);
      this.#end({ code: Number(end.code) || Code.Unavailable, reason: `${status[end.code]} ${end.details}` });
    });
  }

  /** The number of requests without a reply. */
  get outstanding(): number {
    return this.#pending.size;
  }

  /** Whether a request timed out and nothing has arrived since it was sent. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /**
   * Sends a request on an open stream.
   *
   * @throws ServiceError or ConnectError sent by the registry; ConnectError `deadline_exceeded` when the time is up,
   * `canceled` when the client disconnects, or `unavailable` when the stream ends
   */
  send(list: ListRequest, { requestId, ...limits }: CallOptions): Promise<HandleListResponse> {
    const { id, response } = this.#pending.add(limits);
    const value = { list, timeoutMs: limits.timeoutMs, requestId, traceparent: activeTraceparent() };
    this.#outgoing.add(encodeRequest({ id, kind: { case: "call", value } }));
    return response;
  }

  /** Ends the stream as soon as each of its requests has been answered, has timed out or has been cancelled. */
  drain(): void {
    if (this.#state === "opening") this.close();
    if (this.#state !== "open") return;
    this.#state = "draining";
    this.#endIfDone();
  }

  /** Ends the stream; requests in progress fail with `unavailable`. */
  close(reason = "the edge closed the stream"): void {
    this.#call.cancel();
    this.#end({ code: Code.Canceled, reason });
  }

  #receive(bytes: Buffer): void {
    this.#receivedAt = performance.now();
    this.#isSilent = false;
    const messages = decodeResponses(bytes);
    if (messages === undefined) this.close("the registry sent a message that cannot be decoded");
    for (const message of messages ?? []) this.#handle(message);
    this.#endIfDone();
  }

  #handle({ id, kind }: ExchangeResponse): void {
    switch (kind.case) {
      case "list":
        this.#pending.resolve(id, kind.value);
        return;
      case "error":
        this.#pending.reject(id, errorOf(kind.value));
        return;
      case "draining":
        if (this.#state === "open") this.#events.onDraining();
        return;
      default:
        this.close("the registry sent a message of an unknown kind");
    }
  }

  #write(messages: readonly [Buffer, ...Buffer[]]): void {
    if (this.#state === "closed") return;
    if (this.#acceptsBatches && messages.length > 1) this.#call.write(batchOfRequests(messages));
    else for (const message of messages) this.#call.write(message);
  }

  #onTimeout(id: number, sentAt: number): void {
    if (this.#receivedAt < sentAt) this.#isSilent = true;
    this.#pending.reject(id, new ConnectError("the registry did not reply in time", Code.DeadlineExceeded));
    this.#endIfDone();
  }

  #onLeave(id: number): void {
    this.#outgoing.add(encodeRequest({ id, kind: { case: "cancel", value: {} } }));
    this.#pending.reject(id, new ConnectError("the client disconnected", Code.Canceled));
    this.#endIfDone();
  }

  #endIfDone(): void {
    if (this.#state !== "draining" || this.#pending.size > 0) return;
    this.#outgoing.flush();
    this.#call.end();
  }

  #end(cause: EndCause): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#client.close();
    this.#pending.rejectAll(new ConnectError(`the stream to the registry ended: ${cause.reason}`, Code.Unavailable));
    this.#events.onEnded(cause);
  }
}

function acceptingBatches(): Metadata {
  const headers = new Metadata();
  headers.set(acceptsBatchesHeader.name, acceptsBatchesHeader.value);
  return headers;
}
