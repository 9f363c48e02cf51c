import { pino } from "pino";
import { steadyClock } from "#shared/time/clock.ts";
import { collectionsOf } from "../../services/registry/mongo/documents/collections.ts";
import { connectMongo } from "../../services/registry/mongo/opening/connect-mongo.ts";
import { ensureIndexes } from "../../services/registry/mongo/opening/ensure-indexes.ts";
import { newId } from "../../services/registry/values/identifiers.ts";
import { listen } from "./database/simulated-driver.ts";
import { SimulatedServer } from "./database/simulated-server.ts";
import type { SimulatedDatabase } from "./simulated-registry.ts";
import { SimulatedJetStream } from "./stream/simulated-jetstream.ts";
import { World } from "./world/world.ts";

const wayMaxMs = 1;

/** What a history in a world uses. */
export interface SimulatedWorld extends SimulatedDatabase {
  readonly world: World;
  readonly server: SimulatedServer;
  readonly stream: SimulatedJetStream;
}

/**
 * Runs a history in a world of its own, with an empty database and an empty stream. Each command and each reply take up
 * to a millisecond, so that the seed decides in which order the commands of concurrent work arrive.
 *
 * @param onReply called with each reply of the database, in order
 */
export function runInWorld<T>(
  seed: number,
  history: (simulated: SimulatedWorld) => Promise<T>,
  onReply: (reply: Uint8Array) => void,
): Promise<T> {
  const world = new World(seed);
  return world.run(async () => {
    drawRandomPool(world);
    const server = new SimulatedServer({ clock: world.clock, replicationMs: () => world.below(wayMaxMs) });
    using listening = listen(async (command) => {
      const { process } = world;
      await world.delay(world.below(wayMaxMs));
      const reply = await server.run(command);
      onReply(reply);
      await world.delay(world.below(wayMaxMs), process);
      return reply;
    }, "registry");
    await using client = await connectMongo(listening.uri);
    await ensureIndexes(client, { logger: pino({ level: "silent" }), clock: steadyClock });
    const stream = new SimulatedJetStream(world.clock);
    return await history({ world, server, client, collections: collectionsOf(client.db()), stream });
  });
}

/** Makes the ids of this world begin with the seed's bytes, rather than with those that an earlier world has left. */
function drawRandomPool(world: World): void {
  const { drawnCount } = world;
  while (world.drawnCount === drawnCount) newId("smp");
}
