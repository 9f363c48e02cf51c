/** Limits on concurrent connections. */
export interface ConnectionLimits {
  readonly total: number;
  /** Per client address, or per /64 network for IPv6. */
  readonly perAddress: number;
}

/** `new`: no complete request head yet; `idle`: between two requests; `busy`: with a request in progress. */
type State = "new" | "idle" | "busy";

interface Entry {
  readonly address: string | undefined;
  state: State;
}

/**
 * Tracks open connections and selects a connection to evict when a limit is exceeded: the oldest `new` connection if
 * more connections are `new` than `idle`, otherwise the connection that has been idle the longest. If the limit per
 * address is exceeded, only connections of that address are considered. A flood of `new` connections therefore evicts
 * its own connections, because well-behaved clients leave that state immediately. A busy connection is never evicted;
 * if all others are busy, the table refuses the new connection.
 */
export class ConnectionTable<Connection> {
  readonly #limits: ConnectionLimits;
  readonly #entries = new Map<Connection, Entry>();
  readonly #all = new Group<Connection>();
  readonly #byAddress = new Map<string, Group<Connection>>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries.size;
  }

  /**
   * Adds a new connection.
   *
   * @param address undefined for a connection that counts only towards the total
   * @returns the evicted connection, possibly the new one: the caller must close it; undefined if no limit is exceeded
   */
  add(connection: Connection, address: string | undefined): Connection | undefined {
    this.#entries.set(connection, { address, state: "new" });
    for (const group of this.#groupsOf(address)) group.new.add(connection);
    const group = address === undefined ? undefined : this.#byAddress.get(address);
    let evicted: Connection | undefined;
    if (group !== undefined && group.size > this.#limits.perAddress) evicted = group.evictionCandidate();
    else if (this.#all.size > this.#limits.total) evicted = this.#all.evictionCandidate();
    if (evicted !== undefined) this.remove(evicted);
    return evicted;
  }

  /** Marks the connection busy. Call this once a request head is complete. */
  markBusy(connection: Connection): void {
    this.#move(connection, "busy");
  }

  /** Marks the connection idle. Call this once no request is in progress. */
  markIdle(connection: Connection): void {
    this.#move(connection, "idle");
  }

  /** Removes a closed connection; does nothing if it is not in the table. */
  remove(connection: Connection): void {
    const entry = this.#entries.get(connection);
    if (entry === undefined) return;
    const { address, state } = entry;
    this.#entries.delete(connection);
    for (const group of this.#groupsOf(address)) group[state].delete(connection);
    if (address !== undefined && this.#byAddress.get(address)?.size === 0) this.#byAddress.delete(address);
  }

  #move(connection: Connection, state: State): void {
    const entry = this.#entries.get(connection);
    if (entry === undefined) return;
    for (const group of this.#groupsOf(entry.address)) {
      group[entry.state].delete(connection);
      group[state].add(connection);
    }
    entry.state = state;
  }

  #groupsOf(address: string | undefined): Group<Connection>[] {
    if (address === undefined) return [this.#all];
    const group = this.#byAddress.get(address) ?? new Group<Connection>();
    this.#byAddress.set(address, group);
    return [this.#all, group];
  }
}

/** Connections by state, each set in the order in which its connections entered the state. */
class Group<Connection> {
  readonly new = new Set<Connection>();
  readonly idle = new Set<Connection>();
  readonly busy = new Set<Connection>();

  get size(): number {
    return this.new.size + this.idle.size + this.busy.size;
  }

  /** Returns the connection to evict. Returns the newest connection only if no other can be evicted. */
  evictionCandidate(): Connection | undefined {
    const [oldestNew] = this.new;
    const [longestIdle] = this.idle;
    return this.new.size > Math.max(1, this.idle.size) ? oldestNew : (longestIdle ?? oldestNew);
  }
}
