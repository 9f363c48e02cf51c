/** How many connections there may be at the same time. */
export interface ConnectionLimits {
  readonly total: number;
  /** Those of one address. */
  readonly perAddress: number;
}

type State = "silent" | "idle" | "busy";

interface Entry {
  readonly address: string | undefined;
  state: State;
}

/**
 * Knows every connection and decides which one goes when there are too many: of those that never sent a whole request head
 * the oldest, since a good client's head follows its connection at once; or, where more connections are idle between two
 * requests, the one that has been idle the longest. The larger crowd pays, so that a flood of one kind pushes out its own.
 * A connection with a request under way never goes; where all have one, the new connection is refused.
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
   * Takes in a new connection.
   *
   * @param address undefined for one that only the total counts
   * @returns the connection that must be closed, which is no longer in the table: another one, or this one, or none
   */
  open(connection: Connection, address: string | undefined): Connection | undefined {
    this.#entries.set(connection, { address, state: "silent" });
    for (const group of this.#groupsOf(address)) group.add(connection, "silent");
    const group = address === undefined ? undefined : this.#byAddress.get(address);
    const victim =
      group !== undefined && group.size > this.#limits.perAddress
        ? group.victim()
        : this.#all.size > this.#limits.total
          ? this.#all.victim()
          : undefined;
    if (victim !== undefined) this.close(victim);
    return victim;
  }

  /** A request head is complete. */
  busy(connection: Connection): void {
    this.#move(connection, "busy");
  }

  /** No request is under way any more. */
  idle(connection: Connection): void {
    this.#move(connection, "idle");
  }

  /** The connection is closed; does nothing for one that is not in the table. */
  close(connection: Connection): void {
    const entry = this.#entries.get(connection);
    if (entry === undefined) return;
    this.#entries.delete(connection);
    for (const group of this.#groupsOf(entry.address)) group.remove(connection, entry.state);
    const { address } = entry;
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

/** Connections by what they do; those that came into their state first stand first. */
class Group<Connection> {
  readonly #sets: Readonly<Record<State, Set<Connection>>> = {
    silent: new Set(),
    idle: new Set(),
    busy: new Set(),
  };

  get size(): number {
    return this.#sets.silent.size + this.#sets.idle.size + this.#sets.busy.size;
  }

  add(connection: Connection, state: State): void {
    this.#sets[state].add(connection);
  }

  remove(connection: Connection, state: State): void {
    this.#sets[state].delete(connection);
  }

  /** Which one goes. The newest is silent, too, and comes last of its kind. */
  victim(): Connection | undefined {
    const { silent, idle } = this.#sets;
    const [oldestSilent] = silent;
    const [longestIdle] = idle;
    return silent.size > Math.max(1, idle.size) ? oldestSilent : (longestIdle ?? oldestSilent);
  }
}
