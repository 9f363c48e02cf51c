import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Counter, Gauge, type Registry } from "prom-client";
import { isIn, type Network } from "#shared/address-guard/network.ts";
import { type ConnectionLimits, ConnectionTable } from "../limits/connection-table.ts";
import { groupOf, parsePeer } from "./client-address.ts";

/** What {@link limitConnections} works with. */
export interface LimitConnectionsDeps {
  readonly connections: ConnectionLimits;
  readonly trustedProxies: readonly Network[];
  readonly metrics: Registry;
}

// Hardly any client pipelines at all, and each of these requests may wait for the registry at the same time.
const pipelinedMax = 64;

/**
 * Bounds how many connections a server has, in all and of one address, and how many requests one connection has under way.
 * Trusted proxies speak for many clients and have no limit of their own. What goes over a limit is closed without a reply.
 */
export function limitConnections(server: Server, deps: LimitConnectionsDeps): void {
  const table = new ConnectionTable<Socket>(deps.connections);
  const underWay = new WeakMap<Socket, number>();
  const closed = new Counter({
    name: "edge_connections_closed_total",
    help: "Connections closed since there were too many (over_limit) or one had too many requests under way (pipelined).",
    labelNames: ["why"],
    registers: [deps.metrics],
  });
  new Gauge({
    name: "edge_connections",
    help: "Open connections to the public API.",
    registers: [deps.metrics],
    collect() {
      this.set(table.size);
    },
  });

  server.on("connection", (socket: Socket) => {
    socket.once("close", () => table.close(socket));
    const victim = table.open(socket, countedAddress(socket, deps.trustedProxies));
    if (victim === undefined) return;
    closed.inc({ why: "over_limit" });
    victim.destroy();
  });
  server.prependListener("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    // What still stood in the bytes that came before the end.
    if (socket.destroyed) return;
    const count = (underWay.get(socket) ?? 0) + 1;
    underWay.set(socket, count);
    table.busy(socket);
    response.once("close", () => {
      const left = (underWay.get(socket) ?? 1) - 1;
      underWay.set(socket, left);
      if (left === 0) table.idle(socket);
    });
    if (count <= pipelinedMax) return;
    closed.inc({ why: "pipelined" });
    socket.destroy();
  });
}

function countedAddress(socket: Socket, proxies: readonly Network[]): string | undefined {
  const peer = parsePeer(socket.remoteAddress);
  return peer === undefined || isIn(proxies, peer) ? undefined : groupOf(peer);
}
