import { ServiceError } from "#shared/errors/service-error.ts";
import type { DocumentVersion } from "../../services/registry/mongo/migrations/run-migrations.ts";
import type { HistoryScript } from "./history-script.ts";
import type { SimulatedWorld } from "./run-in-world.ts";
import type { Setup, SimulatedReplica } from "./simulated-replica.ts";
import { untilKnown } from "./until-known.ts";
import type { WorldProcess } from "./world/world.ts";

/** How long a client waits for a reply. */
export const deadlineMs = 8_000;

/** A registry of the history. */
export interface Replica {
  readonly process: WorldProcess;
  readonly setup: Setup;
  /** Default: the current one. */
  readonly version: DocumentVersion | undefined;
  /** `undefined` while it starts. */
  registry: SimulatedReplica | undefined;
}

/** Kills a registry, and starts another one after a while. */
export type Replace = (replica: Replica) => void;

/** A rolling update from registries that write another form of documents. */
export interface Rollout {
  /** Whether one of the registries has the former version. */
  hasFormer: boolean;
  /** The last change of each sample that was acknowledged. */
  readonly changed: Map<string, string>;
  /** Whether the migration is finished. */
  isDone: boolean;
}

/** A message that the receiver got. */
export interface SentMessage {
  readonly eventId: string;
  readonly at: Date;
  /** What it answers. */
  readonly status: number;
}

/** An attempt of a step of an erasure. */
export interface ErasureAttempt {
  /** The event that it has claimed last, or tried to. */
  claimed: string | undefined;
}

/** A client that follows the list of a store. */
export interface Follower {
  /** The epoch of the store's feed when it read the list last; undefined before the first read. */
  epoch: string | undefined;
  /** The `updatedAt` of the last certificate that it has read. */
  cursor: Date;
  /** The latest `updatedAt` of each certificate, by its link's token. */
  readonly copy: Map<string, number>;
}

/** What a history of the feed uses and observes. */
export interface FeedWorld extends SimulatedWorld {
  readonly script: HistoryScript;
  readonly storeId: string;
  /** Whether one registry has another version of the configuration. */
  readonly hasTwoVersions: boolean;
  readonly rollout: Rollout | undefined;
  readonly replicas: Replica[];
  readonly notifiers: WorldProcess[];
  readonly followers: readonly Follower[];
  /** The owner that was acknowledged last, by certificate. Each certificate has one writer. */
  readonly acknowledged: Map<string, string>;
  /** The addresses of owners that were acknowledged. */
  readonly owners: Set<string>;
  /** The addresses of which an erasure has begun. */
  readonly erased: Set<string>;
  /** The attempts of erasures that have failed, or whose registries were killed before the end. */
  readonly lostErasures: Set<ErasureAttempt>;
  /** How many items were to be issued, apart from those of files. */
  issuedCount: number;
  /** The messages that the receiver got, in order, by certificate. */
  readonly sent: Map<string, SentMessage[]>;
  /** How many notifiers were started. */
  notifierNumber: number;
  /** The notifiers that were killed or paused at any time, or whose claims a clock that was set forward has ended. */
  readonly disturbed: Set<string>;
  /** Called in a notifier that has claimed an event and is about to send its message. Default: nothing happens. */
  onSending: ((process: WorldProcess) => void) | undefined;
  readonly problems: string[];
  /** The number of changes in progress. */
  changing: number;
  /** Whether a backup has been restored. */
  isRestored: boolean;
  /** Whether no erasure begins, because it would delete the import that another registry is to continue. */
  holdsErasures: boolean;
  /** Whether no change begins, because a restore does. */
  isRestoring: boolean;
  /** Whether registries are stopped for a restore. */
  isStopped: boolean;
  /** The events that were sent before a restore, and must not be sent again. */
  readonly sentBefore: Set<string>;
  /**
   * The events that the stream, or a notifier, has kept during a restore after which earlier events are sent. They can
   * be sent before earlier ones, of which the stream still drops copies, or which are published only then.
   */
  readonly keptByStream: Set<string>;
  /** The events of the outbox at the end of that restore: each holds up later ones of its certificate. */
  readonly pendingAtRestore: Set<string>;
  /** The serial numbers of certificates that a restore has lost. */
  lostSerials: ReadonlySet<number>;
  /** Whether no further fault happens and no further change begins. */
  isEnding: boolean;
}

/** How a client calls registries. */
export interface CallOptions {
  /** Default: {@link deadlineMs}. */
  readonly waitsMs?: number;
  /** A registry that it does not call. Default: none. */
  readonly avoids?: SimulatedReplica | undefined;
}

/** Calls a registry as a client does: with a deadline. @returns `undefined` if the result is unknown by then */
export async function call<T>(
  { world, replicas }: FeedWorld,
  run: (registry: SimulatedReplica) => Promise<T>,
  { waitsMs = deadlineMs, avoids }: CallOptions = {},
): Promise<T | undefined> {
  const started = replicas.filter(({ registry }) => registry !== undefined && registry !== avoids);
  if (started.length === 0) return undefined;
  const { process, registry } = world.random.pick(started);
  if (registry === undefined) return undefined;
  const reply = new Promise<T>((resolve, reject) => {
    world.schedule(world.below(2), () => run(registry).then(resolve, reject), process);
  });
  try {
    return await Promise.race([reply, world.delay(waitsMs).then(() => undefined)]);
  } catch (error) {
    if (error instanceof ServiceError && error.code === "unavailable") return undefined;
    throw error;
  }
}

/** Calls registries until one replies, with a pause between two attempts. @throws Error as {@link untilKnown} does */
export function callUntilKnown<T>(
  history: FeedWorld,
  run: (registry: SimulatedReplica) => Promise<T>,
  options?: CallOptions,
): Promise<T> {
  return untilKnown(history.world, () => call(history, run, options), `a call of registries: ${run}`);
}
