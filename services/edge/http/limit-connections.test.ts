import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { networkList } from "#shared/address-guard/network.ts";
import { closingRequest, exchange, listHead, readAll, request } from "../testing/raw-http.ts";
import { startEdge, type TestEdge } from "../testing/start-edge.ts";

const complete = `${listHead}\r\n`;
const attacker = "127.0.0.2";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start200(overrides: Parameters<typeof startEdge>[0] = {}) {
  const edge = await startEdge({ connectionsMax: 200, ...overrides });
  cleanups.push(() => edge.stop());
  return edge;
}

/**
 * Opens `count` connections that send only `bytes`; resolves once each has sent them or has been closed by the server.
 */
async function slowClients(port: number, count: number, bytes: string, localAddress = "127.0.0.1") {
  const open = () => {
    const socket = connect({ host: "127.0.0.1", port, localAddress });
    cleanups.push(() => socket.destroy());
    // Discards the server's responses.
    socket.resume();
    socket.once("error", () => socket.destroy());
    return new Promise<Socket>((resolve) => {
      socket.once("close", () => resolve(socket));
      socket.once("connect", () => {
        if (bytes === "") resolve(socket);
        else socket.write(bytes, () => resolve(socket));
      });
    });
  };
  const sockets = await Promise.all(Array.from({ length: count }, open));
  return { openCount: () => sockets.filter((socket) => !socket.closed).length };
}

/** Opens a connection and keeps it open after its first response. */
async function idleConnection(port: number) {
  const socket = connect(port, "127.0.0.1");
  cleanups.push(() => socket.destroy());
  socket.on("error", () => socket.destroy());
  socket.write(complete);
  await new Promise((resolve) => socket.once("data", resolve));
  return socket;
}

async function metricOf(edge: TestEdge, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${edge.operationsPort}/metrics`)).text();
  const line = text.split("\n").find((candidate) => candidate.startsWith(`${name} `));
  return Number(line?.split(" ").at(-1) ?? 0);
}

describe("an edge with a limit of 200 connections", () => {
  test.each([
    ["send nothing", ""],
    ["send half a request line", "GET /v1/cert"],
    ["send half of their headers", listHead],
    ["are idle after a request", complete],
  ])("serves well-behaved clients despite 500 connections that %s", async (_name, bytes) => {
    const edge = await start200();
    const slow = await slowClients(edge.port, 500, bytes);
    const requests = Array.from({ length: 20 }, () => request(edge.port, "GET /v1/certificates"));
    const good = await Promise.all(requests);
    expect(good.map(({ status }) => status)).toEqual(Array(20).fill(401));
    await expect.poll(slow.openCount).toBeLessThanOrEqual(200);
    expect(await metricOf(edge, "edge_connections")).toBeLessThanOrEqual(200);
    const closed = await metricOf(edge, 'edge_connections_closed_total{why="over_limit"}');
    expect(closed).toBeGreaterThanOrEqual(300);
  });
});

describe("a single address", () => {
  test("is held to the per-address limit and cannot evict connections of other addresses, even idle ones", async () => {
    const edge = await start200({ connectionsPerAddressMax: 50 });
    const idle = await idleConnection(edge.port);
    const slow = await slowClients(edge.port, 300, listHead, attacker);
    await expect.poll(slow.openCount).toBeLessThanOrEqual(50);
    idle.write(closingRequest);
    expect((await readAll(idle)).replies).toMatchObject([{ status: 401 }]);
  });

  test("is subject only to the total limit if it is a trusted proxy", async () => {
    const trustedProxies = networkList.parse("127.0.0.2/32");
    const edge = await start200({ connectionsPerAddressMax: 50, trustedProxies });
    const proxy = await slowClients(edge.port, 150, complete, attacker);
    const direct = await slowClients(edge.port, 150, "");
    await expect.poll(direct.openCount).toBeLessThanOrEqual(50);
    expect(proxy.openCount()).toBe(150);
  });
});

describe("pipelined requests", () => {
  test("are all answered if their number is within the limit", async () => {
    const edge = await start200();
    const { replies } = await exchange(edge.port, complete.repeat(40) + closingRequest);
    expect(replies.map(({ status }) => status)).toEqual(Array(41).fill(401));
  });

  test("cause their connection to be closed if there are too many, without affecting other clients", async () => {
    const edge = await start200();
    const startedAt = performance.now();
    const flood = Array.from({ length: 8 }, () => exchange(edge.port, complete.repeat(2_000)));
    const good = await request(edge.port, "GET /v1/certificates");
    expect(good.status).toBe(401);
    for (const { replies } of await Promise.all(flood)) expect(replies.length).toBeLessThan(2_000);
    expect(performance.now() - startedAt).toBeLessThan(25_000);
    expect(await metricOf(edge, 'edge_connections_closed_total{why="pipelined"}')).toBe(8);
    const handled = edge.log.filter(({ msg }) => msg === "request");
    expect(handled.length).toBeLessThanOrEqual(8 * 64 + 1);
  });
});
