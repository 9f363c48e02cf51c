import { MongoNetworkError } from "mongodb";
import type { Doc } from "../database/bson-value.ts";
import type { SimulatedServer } from "../database/simulated-server.ts";
import type { World, WorldProcess } from "./world.ts";

const wayMaxMs = 1;
const stallMaxMs = 12_000;

/** How long replication usually takes, at most. */
export const replicationUsualMs = 4;

// Of the moments at which a command can let others run, this share lasts.
const pauseRate = 0.1;

/**
 * The network between processes and the database, and among the database's members. Each way takes up to a millisecond,
 * so that the seed decides in which order the commands of concurrent work arrive. A history can make it worse.
 */
export class Network {
  readonly #world: World;
  readonly #database: WorldProcess;
  /** The share of commands whose request or reply is lost, with the connection. */
  lossRate = 0;
  /** The share of commands that arrive up to twelve seconds late. */
  stallRate = 0;
  /** How long a commit takes to reach a majority of the members, at most, in milliseconds. */
  replicationMaxMs = replicationUsualMs;
  /** How long a command that lets others run waits, at most, in milliseconds. */
  pauseMaxMs = 3;

  constructor(world: World) {
    this.#world = world;
    this.#database = world.start("database");
  }

  /** Returns how long a command that can let others run waits. */
  pauseMs(): number {
    const world = this.#world;
    return world.random.chance(pauseRate) ? world.below(this.pauseMaxMs) : 0;
  }

  /** Ends all that a history has made worse. */
  recover(): void {
    this.lossRate = 0;
    this.stallRate = 0;
    this.replicationMaxMs = replicationUsualMs;
  }

  /** Sends a command. @throws MongoNetworkError if the request or the reply is lost */
  async send(server: SimulatedServer, command: Doc): Promise<Uint8Array> {
    const world = this.#world;
    const { process } = world;
    const isLost = world.random.chance(this.lossRate);
    const isRequestLost = isLost && world.random.chance(0.5);
    const isStalled = world.random.chance(this.stallRate);
    await world.delay(world.below(isStalled ? stallMaxMs : wayMaxMs));
    const reply = isRequestLost ? new Uint8Array() : await this.#run(server, command);
    // What happens to the reply does not depend on the process that waits for it.
    await world.delay(world.below(wayMaxMs), process);
    if (isLost) throw new MongoNetworkError("connection closed");
    return reply;
  }

  /** What the database does for a client goes on while the client's process is paused, and after its end. */
  #run(server: SimulatedServer, command: Doc): Promise<Uint8Array> {
    return this.#world.inProcess(this.#database, () => server.run(command));
  }
}
