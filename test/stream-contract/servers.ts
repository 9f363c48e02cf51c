import { connect, type NatsConnection } from "nats";
import { systemClock } from "#shared/time/clock.ts";
import { startTestNats } from "../harness/test-nats.ts";
import { SimulatedNats } from "../simulation/stream/simulated-nats.ts";
import { Sockets } from "../simulation/world/sockets.ts";
import { World } from "../simulation/world/world.ts";

/** A NATS server under test. */
export interface StreamServer {
  /** Connects a client, which reconnects; it is closed at the end. */
  connect(): Promise<NatsConnection>;
  sleep(durationMs: number): Promise<void>;
  /** The server is replaced by one without the data; the clients reconnect. */
  loseStorage(): Promise<void>;
}

/** Runs a case of the contract on a new server. */
type RunCase = (use: (server: StreamServer) => Promise<void>) => Promise<void>;

const clientOptions = { maxReconnectAttempts: -1, reconnectTimeWait: 50, reconnectJitter: 0 };

/** Runs a case on a NATS server of its own. */
export const onRealServer: RunCase = async (use) => {
  await using opened = new AsyncDisposableStack();
  const nats = await startTestNats((close) => opened.defer(close));
  await use({
    connect: async () => {
      const connection = await connect({ ...clientOptions, servers: nats.url });
      opened.defer(() => connection.close());
      return connection;
    },
    sleep: systemClock.sleep,
    async loseStorage() {
      await nats.stop();
      await nats.deleteData();
      await nats.start();
    },
  });
};

/** Runs a case on the simulated server, in a world of its own. */
export const onSimulatedServer: RunCase = async (use) => {
  const world = new World(1);
  const sockets = new Sockets(world);
  await world.run(async () => {
    using _sockets = sockets.replaceNode();
    const nats = new SimulatedNats(world, sockets);
    await use({
      connect: () => connect({ ...clientOptions, servers: nats.url }),
      sleep: world.clock.sleep,
      loseStorage: async () => nats.loseStorage(),
    });
  });
};
