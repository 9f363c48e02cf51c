import type { Binary, ClientSession } from "mongodb";
import { Batcher } from "#shared/batching/batcher.ts";
import type { Clock } from "#shared/time/clock.ts";
import { waitAtMost } from "#shared/time/wait-at-most.ts";

interface SessionRecordDeps {
  /** Stores the ids of this replica's sessions, replacing those stored before. */
  readonly store: (ids: readonly Binary[]) => Promise<void>;
  readonly clock: Clock;
}

/**
 * Maximum number of recorded sessions. The driver reuses the sessions of its pool, so a replica has about as many as it
 * has concurrent transactions; after a lost connection, the driver creates a new session.
 */
export const sessionsMax = 100;
// Recording a session delays a change by at most this time. If the replica is killed, the transaction of an unrecorded
// session ends only after transactionLifetimeLimitSeconds.
const waitMaxMs = 1_000;

/**
 * The ids of the sessions in which this replica runs transactions that write. Another replica reads them after this
 * replica has been killed, so a session's first transaction waits until the id is stored, but at most a second. One
 * write at a time stores all ids.
 */
export class SessionRecord {
  readonly #deps: SessionRecordDeps;
  // The least recently used session first.
  readonly #ids = new Map<string, Binary>();
  #stored: ReadonlySet<string> = new Set();
  readonly #writes = new Batcher((calls: readonly undefined[]) => this.#storeAll(calls));

  constructor(deps: SessionRecordDeps) {
    this.#deps = deps;
  }

  /** Stores a session's id unless it is already stored. Also resolves when the database fails or is too slow. */
  async add({ id }: Pick<ClientSession, "id">): Promise<void> {
    if (id === undefined) return;
    const key = id.id.toString("hex");
    this.#ids.delete(key);
    this.#ids.set(key, id.id);
    if (this.#ids.size > sessionsMax) this.#ids.delete(this.#ids.keys().next().value ?? "");
    if (this.#stored.has(key)) return;
    const storing = this.store().catch(() => undefined);
    await waitAtMost(storing, waitMaxMs, this.#deps.clock);
  }

  /** Stores the ids. Concurrent callers share one write that begins after their call. */
  store(): Promise<void> {
    return this.#writes.add(undefined);
  }

  async #storeAll(calls: readonly undefined[]): Promise<readonly undefined[]> {
    const ids = new Map(this.#ids);
    await this.#deps.store([...ids.values()]);
    this.#stored = new Set(ids.keys());
    return calls;
  }
}
