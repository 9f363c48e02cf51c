import { partitionOf } from "#shared/nats/event-stream.ts";
import type { WorkClaim } from "../leases/leased-queue.ts";
import type { TaskShare } from "../leases/task-share.ts";
import type { Outbox } from "./outbox.ts";
import type { StoreWindows } from "./store-windows.ts";

interface RelayedPartitionsDeps {
  readonly outbox: Pick<Outbox, "advanceMark" | "storesWithEntries">;
  readonly share: TaskShare;
  readonly windows: StoreWindows;
}

interface Takeover {
  /** The claims of the partitions; none once the takeover has become void. */
  claims: ReadonlyMap<number, WorkClaim>;
  /** The stores with entries; undefined while the outbox is being read. */
  stores?: readonly string[];
}

/**
 * The partitions that this replica relays: those of its {@link TaskShare} whose windows agree with the outbox. A
 * partition is taken over in the background, because reading a long outbox can take longer than a lease lasts. It is
 * relayed as long as its claim is the one under which it was taken over: another replica that had the partition in
 * between would have replaced the claim.
 */
export class RelayedPartitions {
  readonly #deps: RelayedPartitionsDeps;
  readonly #relayed = new Map<number, WorkClaim>();
  #takeover: Takeover | undefined;

  constructor(deps: RelayedPartitionsDeps) {
    this.#deps = deps;
  }

  get numbers(): readonly number[] {
    return [...this.#relayed.keys()];
  }

  /** Whether a takeover is reading the outbox, or {@link update} can begin its partitions. */
  get isTakingOver(): boolean {
    return this.#takeover !== undefined;
  }

  has(partition: number): boolean {
    return this.#relayed.has(partition);
  }

  /** Relays nothing until all partitions of the share have been taken over again. */
  clear(): void {
    this.#relayed.clear();
    if (this.#takeover !== undefined) this.#takeover.claims = new Map();
    this.#deps.windows.clear();
  }

  /** Ends partitions that are lost or exceed the share, and begins those taken over. @returns the latter */
  update(): number[] {
    const { share, windows } = this.#deps;
    const surplus = new Set(share.surplus);
    const isOurs = (claim: WorkClaim, partition: number) =>
      share.tasks.get(partition) === claim && !surplus.has(partition);
    const ended = [...this.#relayed].flatMap(([partition, claim]) => (isOurs(claim, partition) ? [] : [partition]));
    for (const partition of ended) this.#relayed.delete(partition);
    if (ended.length > 0) windows.drop(ended);
    if (this.#takeover?.stores === undefined) return [];
    const { claims, stores } = this.#takeover;
    this.#takeover = undefined;
    const begun = [...claims].flatMap(([partition, claim]) => {
      if (!isOurs(claim, partition)) return [];
      this.#relayed.set(partition, claim);
      return [partition];
    });
    windows.noteBacklog(stores.filter((storeId) => begun.includes(partitionOf(storeId))));
    return begun;
  }

  /**
   * Begins to take over the partitions of the share that are not relayed, unless a takeover is running.
   *
   * @returns undefined if there is nothing to take over; otherwise, resolves when {@link update} can begin them
   */
  takeOver(): Promise<void> | undefined {
    const { share } = this.#deps;
    const surplus = new Set(share.surplus);
    const isNew = (partition: number) => !this.#relayed.has(partition) && !surplus.has(partition);
    const claims = new Map([...share.tasks].filter(([partition]) => isNew(partition)));
    if (claims.size === 0 || this.isTakingOver) return undefined;
    const takeover: Takeover = { claims };
    this.#takeover = takeover;
    return this.#read(takeover).catch((error: unknown) => {
      this.#takeover = undefined;
      throw error;
    });
  }

  async #read(takeover: Takeover): Promise<void> {
    const { outbox } = this.#deps;
    await outbox.advanceMark();
    // Finds every entry that the previous relays of the partitions have read, and may still mark as taken: they read it
    // before these claims.
    takeover.stores = await outbox.storesWithEntries();
  }
}
