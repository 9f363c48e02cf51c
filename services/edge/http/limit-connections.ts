import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Registry } from "prom-client";
import { isIn, type Network } from "#shared/address-guard/network.ts";
import { networksOf, parsePeer } from "#shared/limits/client-networks.ts";
import { computedGauge } from "#shared/observe/computed-gauge.ts";
import { createLabelledCounter } from "#shared/observe/labelled-counter.ts";
import { type ConnectionLimits, ConnectionTable } from "./connection-table.ts";

export interface LimitConnectionsDeps {
  readonly connections: ConnectionLimits;
  /** Exempt from the limit per address, because each proxy carries the requests of many clients. */
  readonly trustedProxies: readonly Network[];
  readonly metrics: Registry;
}

// Few clients use pipelining, and all pipelined requests of a connection can occupy the registry at the same time.
const pipelinedMax = 64;

/**
 * Limits a server's connections, in total and per address, and the requests in progress on one connection. When a limit
 * is exceeded, one connection is closed without a response.
 */
export function limitConnections(server: Server, deps: LimitConnectionsDeps): void {
  const table = new ConnectionTable<Socket>(deps.connections);
  const requestCounts = new WeakMap<Socket, number>();
  const countClosed = createLabelledCounter(deps.metrics, {
    name: "edge_connections_closed_total",
    help: "Connections closed because a connection limit (over_limit) or the limit on pipelined requests (pipelined) was exceeded.",
    label: "why",
    values: ["over_limit", "pipelined"],
  });
  computedGauge(deps.metrics, "edge_connections", "Open connections to the public API.", () => table.size);

  server.on("connection", (socket: Socket) => {
    socket.once("close", () => table.remove(socket));
    const evicted = table.add(socket, limitedAddress(socket, deps.trustedProxies));
    if (evicted === undefined) return;
    countClosed("over_limit");
    evicted.destroy();
  });
  server.prependListener("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    // Ignores a pipelined request that was parsed after its connection was closed.
    if (socket.destroyed) return;
    const count = (requestCounts.get(socket) ?? 0) + 1;
    requestCounts.set(socket, count);
    table.markBusy(socket);
    response.once("close", () => {
      const remaining = (requestCounts.get(socket) ?? 1) - 1;
      requestCounts.set(socket, remaining);
      if (remaining === 0) table.markIdle(socket);
    });
    if (count <= pipelinedMax) return;
    countClosed("pipelined");
    socket.destroy();
  });
}

function limitedAddress(socket: Socket, proxies: readonly Network[]): string | undefined {
  const peer = parsePeer(socket.remoteAddress);
  return peer === undefined || isIn(proxies, peer) ? undefined : networksOf(peer)[0];
}
