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
  const parts = servers.map(splitLogin);
  const hosts = parts.map(({ host }) => host);
  try {
    return await connect({
      servers: hosts,
      ...credentialsOf(parts.find(({ login }) => login !== "")?.login),
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

/** The client takes what a URL holds before its host apart from the servers' addresses. */
function splitLogin(server: string): { readonly host: string; readonly login: string } {
  const [, scheme = "", login = "", rest = ""] = /^(\w+:\/\/)?(?:(.*)@)?(.*)$/s.exec(server) ?? [];
  return { host: scheme + rest, login };
}

function credentialsOf(
  login: string | undefined,
): { user: string; pass: string } | { token: string } | undefined {
  if (login === undefined) return undefined;
  const [user = "", pass] = login.split(/:(.*)/s, 2).map(decodeURIComponent);
  return pass === undefined ? { token: user } : { user, pass };
}
