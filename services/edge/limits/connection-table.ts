/** Limits on concurrent connections. */
export interface ConnectionLimits {
  readonly total: number;
  /** For one client address. */
  readonly perAddress: number;
}

/** `new`: no complete request head yet; `idle`: between two requests; `busy`: with a request in progress. */
type State = "new" | "idle" | "busy";

interface Entry {
  readonly address: string | undefined;
  state: State;
}

/**
 * Tracks all connections and selects the one to evict when a limit is exceeded. The candidate comes from the larger group,
 * so that a flood evicts connections of its own kind: the oldest `new` connection (a well-behaved client sends its request
 * head immediately), or the connection that has been idle the longest. A busy connection is never evicted; if all are busy,
 * the table refuses the new connection.
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
   * @returns the evicted connection, which the caller must close: another one, the new one, or undefined
   */
  add(connection: Connection, address: string | undefined): Connection | undefined {
    this.#entries.set(connection, { address, state: "new" });
    for (const group of this.#groupsOf(address)) group.add(connection, "new");
    const group = address === undefined ? undefined : this.#byAddress.get(address);
    let evicted: Connection | undefined;
    if (group !== undefined && group.size > this.#limits.perAddress) evicted = group.evictionCandidate();
    else if (this.#all.size > this.#limits.total) evicted = this.#all.evictionCandidate();
    if (evicted !== undefined) this.remove(evicted);
    return evicted;
  }

  /** Marks the connection busy: a request head is complete. */
  markBusy(connection: Connection): void {
    this.#move(connection, "busy");
  }

  /** Marks the connection idle: no request is in progress. */
  markIdle(connection: Connection): void {
    this.#move(connection, "idle");
  }

  /** Removes a closed connection; does nothing if it is not in the table. */
  remove(connection: Connection): void {
    const entry = this.#entries.get(connection);
    if (entry === undefined) return;
    const { address, state } = entry;
    this.#entries.delete(connection);
    for (const group of this.#groupsOf(address)) group.remove(connection, state);
    if (address !== undefined && this.#byAddress.get(address)?.size === 0) this.#byAddress.delete(address);
  }

  #move(connection: Connection, state: State): void {
    const entry = this.#entries.get(connection);
    if (entry === undefined) return;
    for (const group of this.#groupsOf(entry.address)) {
      group.remove(connection, entry.state);
      group.add(connection, state);
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

/** Connections by state, in the order in which they entered it. */
class Group<Connection> {
  readonly #byState: Readonly<Record<State, Set<Connection>>> = {
    new: new Set(),
    idle: new Set(),
    busy: new Set(),
  };

  get size(): number {
    return this.#byState.new.size + this.#byState.idle.size + this.#byState.busy.size;
  }

  add(connection: Connection, state: State): void {
    this.#byState[state].add(connection);
  }

  remove(connection: Connection, state: State): void {
    this.#byState[state].delete(connection);
  }

  /** The connection that was just added is the last in `new`: it is the candidate only if there is no other one. */
  evictionCandidate(): Connection | undefined {
    const { new: fresh, idle } = this.#byState;
    const [oldestNew] = fresh;
    const [longestIdle] = idle;
    return fresh.size > Math.max(1, idle.size) ? oldestNew : (longestIdle ?? oldestNew);
  }
}
