import { connect, type NatsConnection } from "nats";
import type { NatsAccess } from "./nats-access.ts";
import { credentialsOf, splitCredentials } from "./server-credentials.ts";

/**
 * Returns the prefix of the subjects on which a client receives replies. Clients of different services have different
 * prefixes, so that the NATS user of a service can be restricted to the replies of that service.
 */
export function inboxPrefix(client: string): string {
  return `_INBOX.${client}`;
}

/**
 * Connects to NATS. The client library reconnects after a lost connection. It does not limit the number of attempts,
 * but gives up when the server rejects the login twice in a row.
 *
 * @param client the client's name, for the server's list of connections and for {@link inboxPrefix}
 * @throws Error naming the servers if none of them accepts a connection; each attempt may take five seconds
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
