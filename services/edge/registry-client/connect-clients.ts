import { createGrpcClient, type GrpcClientOptions, type GrpcClientTransport } from "#shared/rpc/grpc-client.ts";
import { connectorClient } from "./connector-client.ts";
import { listenClient } from "./listen-client.ts";
import { settingsClient } from "./settings-client.ts";
import { verificationClient } from "./verification-client.ts";

/**
 * Creates the clients for unary calls to the registry. Each has a channel of its own, so that no client's cancelled
 * calls use up the resets of another (see resetPolicy), and connects on its first call.
 *
 * @param options `timeoutMs` is the time limit of each call
 */
export function connectClients(options: GrpcClientOptions) {
  const channels: GrpcClientTransport[] = [];
  const channel = () => {
    const opened = createGrpcClient(options);
    channels.push(opened);
    return opened;
  };
  const clients = {
    verification: verificationClient(channel()),
    settings: settingsClient(channel()),
    connector: connectorClient(channel()),
    listen: listenClient(channel()),
  };
  const close = () => {
    for (const opened of channels) opened.close();
  };
  return { clients, close };
}
