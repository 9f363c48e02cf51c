import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generateApiKey } from "#shared/keys/api-key.ts";
import { systemClock } from "#shared/time/clock.ts";
import { listHead, readAll, request } from "./testing/raw-http.ts";
import { startEdge } from "./testing/start-edge.ts";

const statusOf = async (port: number, path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;

describe("an edge", () => {
  test("is alive and ready without the registry", async () => {
    const edge = await startEdge();
    expect(await statusOf(edge.operationsPort, "/livez")).toBe(200);
    expect(await statusOf(edge.operationsPort, "/readyz")).toBe(200);
    await edge.stop();
  });

  test("fails to start if a cursor key file does not exist, with an error that names the variable", async () => {
    await expect(startEdge({ cursorKeyFiles: ["/nowhere/at-all"] })).rejects.toThrow("EDGE_CURSOR_KEY_FILES");
  });

  test("fails to start on a port in use, with an error that names the address and port", async () => {
    const edge = await startEdge();
    await expect(startEdge({ port: edge.port })).rejects.toThrow(`127.0.0.1:${edge.port}`);
    await edge.stop();
  });
});

describe("a stopping edge", () => {
  test("is not ready, answers requests during the shutdown delay, and closes their connections", async () => {
    const slept: number[] = [];
    const delayEnd = Promise.withResolvers<void>();
    const sleep = (durationMs: number) => {
      slept.push(durationMs);
      return delayEnd.promise;
    };
    const edge = await startEdge({ shutdownDelayMs: 300 }, { ...systemClock, sleep });
    const stopped = edge.stop();
    expect(await statusOf(edge.operationsPort, "/readyz")).toBe(503);
    expect(await statusOf(edge.operationsPort, "/livez")).toBe(200);
    const socket = connect(edge.port, "127.0.0.1");
    socket.write(`${listHead}\r\n`);
    const { replies } = await readAll(socket);
    expect(replies[0]).toMatchObject({ status: 401, headers: { connection: "close" } });
    expect(slept).toEqual([300]);
    delayEnd.resolve();
    await stopped;
    await expect(statusOf(edge.port, "/v1/certificates")).rejects.toThrow();
    await expect(statusOf(edge.operationsPort, "/livez")).rejects.toThrow();
  });

  test("does not wait for idle connections", async () => {
    const edge = await startEdge({ shutdownGraceMs: 60_000 });
    const socket = connect(edge.port, "127.0.0.1");
    socket.write(`${listHead}\r\n`);
    await once(socket, "data");
    const closed = readAll(socket);
    const startedAt = performance.now();
    await edge.stop();
    await closed;
    expect(performance.now() - startedAt).toBeLessThan(25_000);
  });

  test("waits for slow clients no longer than its grace period", async () => {
    const edge = await startEdge({ shutdownGraceMs: 200 });
    const socket = connect(edge.port, "127.0.0.1");
    socket.write(`${listHead}X-Slow`);
    await systemClock.sleep(100);
    const closed = readAll(socket);
    const startedAt = performance.now();
    await edge.stop();
    expect(performance.now() - startedAt).toBeLessThan(25_000);
    await closed;
  });
});

describe("an edge whose registry does not respond", () => {
  let silent: Server;
  let registryAddress = "";
  const authorization = `Authorization: Bearer ${generateApiKey()}`;
  beforeAll(async () => {
    // Accepts connections and never sends a byte.
    silent = createServer((socket) => socket.on("error", () => socket.destroy()));
    await once(silent.listen(0, "127.0.0.1"), "listening");
    registryAddress = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    silent.close();
  });

  test("responds with 503 after the registry timeout", async () => {
    const edge = await startEdge({ registryAddress, registryTimeoutMs: 300 });
    const startedAt = performance.now();
    const reply = await request(edge.port, "GET /v1/certificates", [authorization]);
    expect(reply.status).toBe(503);
    expect(performance.now() - startedAt).toBeLessThan(25_000);
    await edge.stop();
  });

  test("answers requests in progress before it stops, and closes their connections", async () => {
    const edge = await startEdge({ registryAddress, registryTimeoutMs: 500, shutdownGraceMs: 60_000 });
    const socket = connect(edge.port, "127.0.0.1");
    socket.write(`${listHead}${authorization}\r\n\r\n`);
    const received = readAll(socket);
    // Waits until the edge has connected to the registry.
    await once(silent, "connection");
    const startedAt = performance.now();
    await edge.stop();
    expect(performance.now() - startedAt).toBeLessThan(25_000);
    const { replies } = await received;
    expect(replies[0]).toMatchObject({ status: 503, headers: { connection: "close" } });
  });
});
