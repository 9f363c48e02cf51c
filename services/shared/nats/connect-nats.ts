import { connect, type NatsConnection } from "nats";

/**
 * Connects to NATS and stays connected: a lost connection is made again for as long as the process lives.
 *
 * @param servers `nats://host:port`, one or several; `nats://user:password@host:port` or `nats://token@host:port` where the
 *   servers ask for it, the same for all of them
 * @param name shown in the server's connection list
 * @throws Error when no server answers within five seconds
 */
export async function connectNats(servers: readonly string[], name: string): Promise<NatsConnection> {
  const hosts = servers.map((server) => server.replace(/^(\w+:\/\/)?.*@/, "$1"));
  try {
    return await connect({
      servers: hosts,
      ...loginOf(servers),
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
    throw new Error(`NATS at ${hosts.join(", ")} does not answer`, { cause });
  }
}

/** What a URL holds before its host: the client takes it apart from the servers' addresses. */
function loginOf(servers: readonly string[]): { user: string; pass: string } | { token: string } | undefined {
  const login = servers.map((server) => /^(?:\w+:\/\/)?(.*)@/.exec(server)?.[1]).find(Boolean);
  if (login === undefined) return undefined;
  const [user = "", pass] = login.split(/:(.*)/s, 2).map(decodeURIComponent);
  return pass === undefined ? { token: user } : { user, pass };
}
