import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generateApiKey } from "#shared/keys/api-key.ts";
import { systemClock } from "#shared/time/clock.ts";
import { listHead, readAll, request } from "./testing/raw-http.ts";
import { startEdge } from "./testing/start-edge.ts";

/** Returns a promise as it is, and whether it is settled. */
function observeEnd<T>(promise: Promise<T>) {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  promise.then(settle, settle);
  return { promise, hasEnded: () => isSettled };
}

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
    const startWithSlowClient = async (shutdownGraceMs: number) => {
      const edge = await startEdge({ shutdownGraceMs });
      const socket = connect(edge.port, "127.0.0.1");
      // The response to the first request shows that the edge has read the start of the second.
      socket.write(`${listHead}\r\n${listHead}X-Slow`);
      await once(socket, "data");
      return { edge, socket, closed: readAll(socket) };
    };
    const [patient, other] = [await startWithSlowClient(60_000), await startWithSlowClient(200)];
    // First, so that it would also end first if both had the same grace period.
    const { promise: patientEnd, hasEnded } = observeEnd(patient.edge.stop());
    await other.edge.stop();
    await other.closed;
    expect(hasEnded()).toBe(false);
    patient.socket.destroy();
    await patientEnd;
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
    const patient = await startEdge({ registryAddress, registryTimeoutMs: 60_000 });
    const edge = await startEdge({ registryAddress, registryTimeoutMs: 300 });
    const ask = ({ port }: typeof edge) => request(port, "GET /v1/certificates", [authorization]);
    const connected = once(silent, "connection");
    // First, so that it would also end first if both had the same timeout.
    const { promise: patientReply, hasEnded } = observeEnd(ask(patient));
    await connected;
    for (let count = 1; count <= 2; count++) expect((await ask(edge)).status).toBe(503);
    expect(hasEnded()).toBe(false);
    await edge.stop();
    // Ends the request at the end of its grace period.
    await patient.stop();
    await patientReply.catch(() => undefined);
  });

  test("answers requests in progress before it stops, and closes their connections", async () => {
    const edge = await startEdge({ registryAddress, registryTimeoutMs: 5_000, shutdownGraceMs: 60_000 });
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
