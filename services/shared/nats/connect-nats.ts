import { connect, type NatsConnection } from "nats";

/**
 * Connects to NATS and stays connected: a lost connection is made again for as long as the process lives.
 *
 * @param servers `nats://host:port`, one or several
 * @param name shown in the server's connection list
 * @throws Error when no server answers within five seconds
 */
export async function connectNats(servers: readonly string[], name: string): Promise<NatsConnection> {
  try {
    return await connect({
      servers: [...servers],
      name,
      timeout: 5_000,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      reconnectJitter: 250,
      pingInterval: 10_000,
      maxPingOut: 2,
      // Otherwise each publish makes an error, with a stack, in case that it is needed.
      noAsyncTraces: true,
    });
  } catch (cause) {
    // A server's URL may hold a password.
    const hosts = servers.map((server) => server.replace(/^.*@/, ""));
    throw new Error(`NATS at ${hosts.join(", ")} does not answer`, { cause });
  }
}
