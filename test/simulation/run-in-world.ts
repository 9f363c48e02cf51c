import { connect } from "nats";
import { pino } from "pino";
import { steadyClock } from "#shared/time/clock.ts";
import { collectionsOf } from "../../services/registry/mongo/documents/collections.ts";
import { connectMongo } from "../../services/registry/mongo/opening/connect-mongo.ts";
import { ensureIndexes } from "../../services/registry/mongo/opening/ensure-indexes.ts";
import { newId } from "../../services/registry/values/identifiers.ts";
import { actorRandom, type SeededRandom } from "../harness/seeded-random.ts";
import { listen } from "./database/simulated-driver.ts";
import { SimulatedServer } from "./database/simulated-server.ts";
import { type EventStream, openEventStream } from "./event-stream.ts";
import type { SimulatedDatabase } from "./simulated-registry.ts";
import { SimulatedNats } from "./stream/simulated-nats.ts";
import { SimulatedGrpc } from "./world/grpc.ts";
import { Network } from "./world/network.ts";
import { Sockets } from "./world/sockets.ts";
import { World } from "./world/world.ts";

/** The name of the registry's database. */
export const databaseName = "registry";

/** What a history in a world uses. */
export interface SimulatedWorld extends SimulatedDatabase {
  readonly seed: number;
  readonly world: World;
  /** Connection string of the database. */
  readonly uri: string;
  readonly server: SimulatedServer;
  readonly network: Network;
  readonly grpc: SimulatedGrpc;
  readonly stream: EventStream;
  readonly sockets: Sockets;
  readonly nats: SimulatedNats;
  /** How far the database's clock is ahead of the world's, and when it was set forward. */
  readonly wrong: { databaseMs: number; readonly setForwardAtMs: number[] };
  /** In the end, a map or a set of a replica has at most so many entries: far fewer than a history has events. */
  readonly bounds: { entriesMax: number };
}

const entriesMax = 40;

/** Returns choices of an actor, which do not depend on what other actors do. */
export function choicesOf({ seed }: SimulatedWorld, actor: string): SeededRandom {
  return actorRandom(seed, actor);
}

/**
 * Runs a history in a world of its own, with an empty database and an empty stream.
 *
 * @param onReply called with each reply of the database, in order
 * @param timing seed of what the history does not choose, such as delays. Default: that of the history
 */
export async function runInWorld<T>(
  seed: number,
  history: (simulated: SimulatedWorld) => Promise<T>,
  onReply: (reply: Uint8Array) => void,
  timing = seed,
): Promise<T> {
  emptyDatabase ??= prepareDatabase();
  const empty = await emptyDatabase;
  const world = new World(timing);
  return await world.run(async () => {
    drawRandomPool(world, () => newId("smp"));
    const sockets = new Sockets(world);
    using _sockets = sockets.replaceNode();
    const grpc = new SimulatedGrpc(world);
    using _clients = grpc.replaceClients();
    const nats = new SimulatedNats(world, sockets);
    const wrong: SimulatedWorld["wrong"] = { databaseMs: 0, setForwardAtMs: [] };
    const clock = { now: () => world.now() + wrong.databaseMs, sleep: world.clock.sleep };
    const network = new Network(world);
    const server = new SimulatedServer({
      clock,
      replicationMs: () => world.below(network.replicationMaxMs),
      pauseMs: () => network.pauseMs(),
    });
    server.copyIndexes(empty);
    using listening = listen(async (command) => {
      const reply = await network.send(server, command);
      onReply(reply);
      return reply;
    }, databaseName);
    const { uri } = listening;
    await using client = await connectMongo(uri);
    const connection = await connect({ servers: nats.url, maxReconnectAttempts: -1 });
    const stream = await openEventStream(connection);
    const inReplica = <R>(create: () => R) => world.inProcess(world.startReplica("registry", 0), create);
    const collections = collectionsOf(client.db());
    return await history({
      seed,
      world,
      uri,
      server,
      network,
      grpc,
      client,
      collections,
      stream,
      inReplica,
      sockets,
      nats,
      wrong,
      bounds: { entriesMax },
    });
  });
}

/** A database with the registry's indexes, of which each world begins with a copy. */
let emptyDatabase: Promise<SimulatedServer> | undefined;

async function prepareDatabase(): Promise<SimulatedServer> {
  const server = new SimulatedServer({ clock: steadyClock });
  using listening = listen((command) => server.run(command), databaseName);
  await using client = await connectMongo(listening.uri);
  await ensureIndexes(client, { logger: pino({ level: "silent" }), clock: steadyClock });
  return server;
}

/**
 * Makes what is drawn from a pool of random bytes begin with the seed's bytes, rather than with those that an earlier
 * world has left.
 */
function drawRandomPool(world: World, draw: () => unknown): void {
  const { drawnCount } = world;
  while (world.drawnCount === drawnCount) draw();
}
