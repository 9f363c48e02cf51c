import { connect, type NatsConnection } from "nats";
import type { NatsAccess } from "./nats-access.ts";

/**
 * Returns the prefix of the subjects on which a client receives replies. Each client has its own prefix, so that the
 * permissions of its NATS user can be restricted to its own replies.
 */
export function inboxPrefix(client: string): string {
  return `_INBOX.${client}`;
}

/**
 * Connects to NATS. Reconnects after a lost connection for as long as the process runs.
 *
 * @param client the name in the server's connection list, and a part of {@link inboxPrefix}
 * @throws Error naming the servers if no server accepts the connection within five seconds
 */
export async function connectNats({ servers, ...access }: NatsAccess, client: string): Promise<NatsConnection> {
  const parts = servers.map(splitCredentials);
  const hosts = parts.map(({ host }) => host);
  const { authenticator, tls } = access;
  try {
    return await connect({
      servers: hosts,
      ...credentialsOf(parts.find(({ credentials }) => credentials !== "")?.credentials),
      ...(authenticator && { authenticator }),
      // The cluster reports its servers by IP address, for which the client library checks certificates incorrectly.
      ...(tls && { tls, ignoreClusterUpdates: true }),
      name: client,
      inboxPrefix: inboxPrefix(client),
      timeout: 5_000,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      reconnectJitter: 250,
      reconnectJitterTLS: 250,
      pingInterval: 10_000,
      maxPingOut: 2,
      // Otherwise each publish creates an Error with a stack trace in advance.
      noAsyncTraces: true,
    });
  } catch (cause) {
    throw new Error(`cannot connect to NATS at ${hosts.join(", ")}`, { cause });
  }
}

/** Separates the credentials from a server's address, as the client library expects them. */
function splitCredentials(server: string): { readonly host: string; readonly credentials: string } {
  const [, scheme = "", credentials = "", rest = ""] = /^(\w+:\/\/)?(?:(.*)@)?(.*)$/s.exec(server) ?? [];
  return { host: scheme + rest, credentials };
}

function credentialsOf(
  credentials: string | undefined,
): { user: string; pass: string } | { token: string } | undefined {
  if (credentials === undefined) return undefined;
  const [user = "", pass] = credentials.split(/:(.*)/s, 2).map(decodeURIComponent);
  return pass === undefined ? { token: user } : { user, pass };
}
