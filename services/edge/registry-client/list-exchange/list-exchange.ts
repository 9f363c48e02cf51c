import { Code, ConnectError } from "@connectrpc/connect";
import type { HandleListResponse } from "#gen/registry/v1/edge_service_pb.js";
import { CallNotSentError } from "#shared/rpc/grpc-failure.ts";
import { type ChannelSecurity, plaintext } from "#shared/rpc/grpc-tls.ts";
import type { Clock } from "#shared/time/clock.ts";
import { remainingTime } from "#shared/time/remaining-time.ts";
import { waitAtMost } from "#shared/time/wait-at-most.ts";
import { AddressWatch } from "./address-watch.ts";
import { chooseStream } from "./choose-stream.ts";
import type { CallOptions, ListRequest } from "./list-call.ts";
import { parseTarget, type RegistryTarget, resolveTarget } from "./registry-target.ts";
import { Replica, type StreamEnd } from "./replica.ts";
import type { EndCause, ReplicaStream } from "./replica-stream.ts";

/** Options of a {@link ListExchange}. */
export interface ListExchangeOptions {
  /** See {@link parseTarget}; a host name stands for all its addresses, such as those of a headless service. */
  readonly address: string;
  /** Default: no TLS. */
  readonly security?: ChannelSecurity | undefined;
  /** A monotonic clock. */
  readonly clock: Clock;
  /** Maximum age of a stream, in milliseconds. Default ten minutes. */
  readonly streamAgeMs?: number | undefined;
  /** Resolves the addresses of the replicas. Default: the system's resolver. */
  readonly resolve?: (target: RegistryTarget) => Promise<readonly string[]>;
  /** Interval at which the addresses are resolved again, in milliseconds. Default 10,000. */
  readonly resolveEveryMs?: number;
  /** Called when a stream has ended, or could not be opened. */
  readonly onEnded?: (end: StreamEnd) => void;
  /** Returns a number from 0 to 1, for jitter. Default: `Math.random`. */
  readonly random?: () => number;
}

const streamAgeMsByDefault = 600_000;
const resolveEveryMsByDefault = 10_000;

/**
 * Sends list requests to the registry's replicas, over one long-lived stream to each of them. The addresses are
 * resolved again periodically, and after a stream is lost or refused. Without an open stream, requests wait while
 * addresses are being resolved or a first attempt to open a stream is in progress; once that attempt has failed,
 * requests fail until a later attempt succeeds.
 */
export class ListExchange {
  readonly #options: ListExchangeOptions;
  readonly #target: RegistryTarget;
  readonly #addresses: AddressWatch;
  #replicas: Replica[] = [];
  /** Replicas that accept no more requests but may still have streams with outstanding requests. */
  #drained: Replica[] = [];
  /** The replicas with a stream that accepts requests. */
  #usable: Replica[] = [];
  #turn = 0;
  /** The cause of the latest failure to open a stream or to resolve the host name. */
  #refusal: EndCause = { code: Code.Unavailable, reason: "not connected" };
  /** Resolves when waiting requests should try again to choose a stream. */
  #change = Promise.withResolvers<void>();

  constructor(options: ListExchangeOptions) {
    this.#options = options;
    this.#target = parseTarget(options.address);
    const { clock, resolve = resolveTarget, resolveEveryMs = resolveEveryMsByDefault } = options;
    this.#addresses = new AddressWatch({
      clock,
      resolve: () => resolve(this.#target),
      everyMs: resolveEveryMs,
      onResolved: (addresses) => this.#use(addresses),
      // The last addresses remain in use.
      onFailed: (error) => {
        this.#refusal = { code: Code.Unavailable, reason: String(error) };
        this.#onChange();
      },
    });
  }

  /** The number of open streams that accept requests. */
  get streams(): number {
    return this.#usable.length;
  }

  /**
   * Sends a request on the stream that {@link chooseStream} selects.
   *
   * @throws ConnectError with the cause CallNotSentError if no stream accepts the request: `unimplemented` if the
   * server does not offer the list exchange, otherwise `unavailable`. All other errors are those of
   * {@link ReplicaStream.send}
   */
  handleList(request: ListRequest, options: CallOptions): Promise<HandleListResponse> {
    const stream = this.#choose();
    return stream === undefined ? this.#sendLater(request, options) : stream.send(request, options);
  }

  /** Ends all streams. Requests in progress fail with `unavailable`. */
  close(): void {
    this.#addresses.stop();
    for (const replica of [...this.#replicas, ...this.#drained]) replica.close();
    this.#replicas = [];
    this.#drained = [];
    this.#onChange();
  }

  #choose(): ReplicaStream | undefined {
    return chooseStream(this.#usable, this.#turn++)?.stream;
  }

  async #sendLater(request: ListRequest, options: CallOptions): Promise<HandleListResponse> {
    const { clock } = this.#options;
    const deadline = clock.now() + options.timeoutMs;
    for (;;) {
      const timeoutMs = remainingTime(deadline, clock.now(), options.signal);
      if (typeof timeoutMs === "string") throw unsent(Code.Unavailable, "no stream to the registry was opened in time");
      const stream = this.#choose();
      if (stream !== undefined) return stream.send(request, { ...options, timeoutMs });
      if (!this.#isConnecting())
        throw unsent(codeOf(this.#refusal), `no registry can be reached: ${this.#refusal.reason}`);
      await waitAtMost(this.#change.promise, timeoutMs, clock, options.signal);
    }
  }

  #isConnecting(): boolean {
    return this.#addresses.isResolving || this.#replicas.some((replica) => replica.isConnecting);
  }

  #notifyWaiting(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }

  #use(addresses: readonly string[]): void {
    const known = new Set(this.#replicas.map(({ target }) => target.address));
    if (addresses.length > 0)
      for (const replica of this.#replicas) replica.isLeaving = !addresses.includes(replica.target.address);
    for (const address of addresses) if (!known.has(address)) this.#replicas.push(this.#connect(address));
    this.#onChange();
  }

  #connect(address: string): Replica {
    const { clock, random = () => Math.random(), streamAgeMs = streamAgeMsByDefault, onEnded } = this.#options;
    const { security = plaintext } = this.#options;
    const authority = this.#target.kind === "name" ? `${this.#target.host}:${this.#target.port}` : address;
    return new Replica(
      { address, authority, security },
      {
        clock,
        random,
        streamAgeMs,
        onChange: () => this.#onChange(),
        onUnreachable: () => this.#addresses.refresh(),
        onEnded: (end) => {
          if (end.how === "refused") this.#refusal = end;
          onEnded?.(end);
        },
      },
    );
  }

  #onChange(): void {
    // A leaving replica is used until a replica that is not leaving has an open stream.
    if (this.#replicas.some(({ isLeaving, stream }) => !isLeaving && stream !== undefined)) {
      const leaving = this.#replicas.filter(({ isLeaving }) => isLeaving);
      for (const replica of leaving) replica.drain();
      this.#drained = [...this.#drained, ...leaving].filter(({ hasStreams }) => hasStreams);
      this.#replicas = this.#replicas.filter(({ isLeaving }) => !isLeaving);
    }
    this.#usable = this.#replicas.filter(({ stream }) => stream !== undefined);
    this.#notifyWaiting();
  }
}

// A registry that is killed while a stream is being opened causes various statuses, and later attempts succeed. Only
// `unimplemented` is permanent: the server does not offer the list exchange.
function codeOf({ code }: EndCause): Code {
  return code === Code.Unimplemented ? code : Code.Unavailable;
}

function unsent(code: Code, problem: string): ConnectError {
  return new ConnectError(problem, code, undefined, undefined, new CallNotSentError(new Error(problem)));
}
