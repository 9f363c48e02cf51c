import { backOffMs } from "#shared/retry/back-off.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { StreamLoad } from "./choose-stream.ts";
import { initialState, isConnecting, nextState, type ReplicaEvent, type ReplicaState } from "./replica-state.ts";
import { type EndCause, ReplicaStream, type StreamTarget } from "./replica-stream.ts";

interface ReplicaOptions {
  /** A monotonic clock, for pauses and for the ages of streams. */
  readonly clock: Pick<Clock, "sleep">;
  readonly random: () => number;
  /**
   * Maximum age of a stream, in milliseconds. Each stream is replaced up to a tenth earlier, at random, so that the
   * streams are not all replaced at once.
   */
  readonly streamAgeMs: number;
  /** Called when the replica's state has changed. */
  readonly onChange: () => void;
  /** Called when a stream is refused, broken or draining: the replica's address may have changed. */
  readonly onUnreachable: () => void;
  /** Called for each stream that has ended, and for each failed attempt to open one. */
  readonly onEnded: (end: StreamEnd) => void;
}

/** The end of a stream, or a failed attempt to open one. */
export interface StreamEnd extends EndCause {
  readonly address: string;
  /**
   * `refused`: it was never open. `broken`: it ended while it accepted requests. `drained`: it had stopped accepting
   * requests before it ended.
   */
  readonly how: "refused" | "broken" | "drained";
}

// After a failed attempt to open a stream.
const pauseMs = { first: 100, max: 1_000 };

/**
 * A registry replica. Keeps a stream to the replica open until {@link drain} or {@link close}. Not a Loop: an aged
 * stream is still used while its successor is being opened.
 */
export class Replica implements StreamLoad {
  readonly target: StreamTarget;
  /** Whether the registry's name no longer resolves to the replica's address. */
  isLeaving = false;
  readonly #options: ReplicaOptions;
  readonly #closing = new AbortController();
  readonly #streams = new Set<ReplicaStream>();
  #state: ReplicaState = initialState;
  #current: ReplicaStream | undefined;
  /** Aborted when the current stream is replaced, lost or drained: its age then no longer matters. */
  #aging = new AbortController();

  constructor(target: StreamTarget, options: ReplicaOptions) {
    this.target = target;
    this.#options = options;
    this.#open();
  }

  /** The stream that accepts new requests; undefined if there is none. */
  get stream(): ReplicaStream | undefined {
    return this.#current;
  }

  /** Whether requests may wait for a stream to this replica. */
  get isConnecting(): boolean {
    return isConnecting(this.#state);
  }

  /** Whether a stream is open or being opened, even if it accepts no more requests. */
  get hasStreams(): boolean {
    return this.#streams.size > 0;
  }

  get outstanding(): number {
    return this.#current?.outstanding ?? 0;
  }

  get isSilent(): boolean {
    return this.#current?.isSilent ?? false;
  }

  /** Stops accepting requests; each stream ends when its requests have ended. */
  drain(): void {
    this.#closing.abort();
    this.#use(undefined);
    for (const stream of this.#streams) stream.drain();
  }

  /** Ends all streams and their requests. */
  close(): void {
    this.drain();
    for (const stream of this.#streams) stream.close();
  }

  #open(): void {
    let isOpened = false;
    const stream: ReplicaStream = new ReplicaStream(this.target, {
      onOpened: () => {
        isOpened = true;
        const previous = this.#current;
        this.#use(stream);
        this.#advance("opened");
        previous?.drain();
      },
      onDraining: () => {
        if (this.#current === stream) this.#lose();
        stream.drain();
      },
      onEnded: (cause) => {
        this.#streams.delete(stream);
        const how = !isOpened ? "refused" : this.#current === stream ? "broken" : "drained";
        this.#options.onEnded({ address: this.target.address, how, ...cause });
        if (how === "broken") this.#lose();
        if (how === "refused") this.#advance("refused");
      },
    });
    this.#streams.add(stream);
  }

  #lose(): void {
    this.#use(undefined);
    this.#advance("lost");
  }

  #use(stream: ReplicaStream | undefined): void {
    this.#current = stream;
    this.#aging.abort();
    this.#aging = new AbortController();
    if (stream !== undefined) void this.#age(this.#aging.signal);
  }

  #advance(event: ReplicaEvent): void {
    if (this.#closing.signal.aborted) return;
    const [state, action] = nextState(this.#state, event);
    this.#state = state;
    if (action === "open") this.#open();
    if (action === "pause") void this.#pause();
    if (event === "lost" || event === "refused") this.#options.onUnreachable();
    this.#options.onChange();
  }

  async #pause(): Promise<void> {
    const durationMs = backOffMs(this.#state.failures - 1, pauseMs.first, pauseMs.max);
    await this.#options.clock.sleep(durationMs, this.#closing.signal);
    this.#advance("due");
  }

  async #age(signal: AbortSignal): Promise<void> {
    const { clock, random, streamAgeMs } = this.#options;
    await clock.sleep(streamAgeMs * (1 - 0.1 * random()), signal);
    if (!signal.aborted) this.#advance("aged");
  }
}
