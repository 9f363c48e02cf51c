import { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { makeServerCertificate, type ServerCertificate } from "../../../deploy/local/receiver/self-signed.ts";
import { AttemptTrace } from "./attempt-trace.ts";
import { type DeliveryChange, deliverTrusting } from "./deliver-fixture.ts";
import { exchange } from "./exchange.ts";
import { startTlsServer, type TlsServerFixture, type TlsServerOptions } from "./tls-server-fixture.ts";

const { DELIVERED, REFUSED, TIMEOUT, CONNECTION_FAILED, TLS_FAILED } = OutcomeKind;

let certificate: ServerCertificate;
let send: ReturnType<typeof deliverTrusting>;
let server: TlsServerFixture;
const uncaught: unknown[] = [];
const noteUncaught = (error: unknown) => void uncaught.push(error);

beforeAll(async () => {
  process.on("uncaughtExceptionMonitor", noteUncaught);
  certificate = await makeServerCertificate();
  send = deliverTrusting(certificate.caPem);
});
afterEach(() => server.stop());
afterAll(() => {
  process.off("uncaughtExceptionMonitor", noteUncaught);
  expect(uncaught).toEqual([]);
});

const body = Buffer.alloc(4 << 20, "x");
const long: DeliveryChange = { body };
const short: DeliveryChange = {};

type Secured = (socket: TLSSocket, reset: () => void) => void;

/** Delivers to a server that does so with the connection once TLS is there. */
async function attemptAt(secured: Secured, change = short, options: TlsServerOptions = {}) {
  const sockets: TLSSocket[] = [];
  const handle = (socket: TLSSocket) => {
    sockets.push(socket);
    secured(socket, () => server.reset(socket));
  };
  server = await startTlsServer(certificate, handle, options);
  const attempt = await send(server.port, change);
  const openNow = () => {
    // Who does not read does not notice the end.
    for (const socket of sockets) socket.resume();
    return server.open();
  };
  await expect.poll(openNow, { timeout: 10_000, interval: 10 }).toBe(0);
  return attempt;
}

/** Delivers to a server that does so with the connection before TLS begins. */
const attemptBeforeTls = (accept: (socket: Socket) => void, change = short) =>
  attemptAt(() => undefined, change, { accept });

/** Takes so many bytes of the message and no more; then calls back. */
const takes = (bytesMin: number, then: () => void) => (socket: TLSSocket) => {
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes < bytesMin) return;
    socket.off("data", count).pause();
    then();
  };
  socket.on("data", count);
};

const replies =
  (text: string): Secured =>
  (socket, reset) =>
    takes(1, () => socket.write(text, reset))(socket);

const broken = "The connection broke before the receiver's reply (ECONNRESET).";
const brokenHandshake = "The connection broke during the TLS handshake (ECONNRESET).";

describe("a reset", () => {
  test("when the connection is accepted is no connection", async () => {
    const attempt = await attemptBeforeTls((socket) => void socket.resetAndDestroy());
    // The handshake of TCP was complete, so both are true.
    expect([CONNECTION_FAILED, TLS_FAILED]).toContain(attempt.kind);
    expect(attempt.reason).toContain("(ECONNRESET)");
  });

  test.each<[string, (socket: Socket) => void]>([
    ["after the client's first words", (socket) => void socket.resetAndDestroy()],
    [
      "in the middle of the server's first words",
      (socket) =>
        void socket.write(Buffer.from("160303007a0200007603", "hex"), () => socket.resetAndDestroy()),
    ],
    ["(an orderly end)", (socket) => void socket.end()],
  ])("in the TLS handshake, %s, is a failure of TLS", async (_name, react) => {
    const attempt = await attemptBeforeTls((socket) => void socket.once("data", () => react(socket)));
    expect(attempt).toMatchObject({ kind: TLS_FAILED, httpStatus: 0, reason: brokenHandshake });
    expect(attempt.remoteAddress).toBe("127.0.0.1");
    expect(Object.keys(attempt.phases)).toEqual(["resolveMs", "connectMs", "tlsMs"]);
  });

  test.each<[string, Secured]>([
    ["before the message", (_socket, reset) => reset()],
    ["after its head", (socket, reset) => takes(1, reset)(socket)],
    ["in the middle of its body", (socket, reset) => takes(1 << 20, reset)(socket)],
    ["after its body", (socket, reset) => takes(body.length, reset)(socket)],
    ["in the middle of the status line", replies("HTTP/1.1 2")],
    ["after an interim reply", replies("HTTP/1.1 100 Continue\r\n\r\n")],
  ])("%s is a broken connection", async (_name, secured) => {
    const attempt = await attemptAt(secured, long);
    expect(attempt).toMatchObject({ kind: CONNECTION_FAILED, httpStatus: 0 });
    // What breaks while the message is being written shows as one or the other.
    expect([broken, broken.replace("ECONNRESET", "EPIPE")]).toContain(attempt.reason);
    expect(attempt.phases).toHaveProperty("sendMs");
  });

  test.each([
    ["after the status line", "HTTP/1.1 200 OK\r\n", 200, ""],
    ["in the middle of the headers", "HTTP/1.1 200 OK\r\nContent-Le", 200, ""],
    ["in the middle of the body", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok", 200, "ok"],
    ["after a refusal that did not wait for the message", "HTTP/1.1 413 No\r\n\r\nbig", 413, "big"],
  ])("%s changes nothing", async (_name, text, httpStatus, replyExcerpt) => {
    const kind = httpStatus === 200 ? DELIVERED : REFUSED;
    expect(await attemptAt(replies(text), short)).toMatchObject({ kind, httpStatus, replyExcerpt });
    await server.stop();
    expect(await attemptAt(replies(text), long)).toMatchObject({ kind, httpStatus, replyExcerpt });
  });
});

test("a receiver that refuses before it has read the message, and leaves it at that, is no timeout", async () => {
  const early: Secured = (socket) => takes(1, () => void socket.write("HTTP/1.1 413 No\r\n\r\n"))(socket);
  const attempt = await attemptAt(early, { ...long, sendTimeoutMs: 300 });
  expect(attempt).toMatchObject({ kind: REFUSED, httpStatus: 413 });
  expect(Object.keys(attempt.phases)).toEqual(["resolveMs", "connectMs", "tlsMs", "sendMs"]);
});

describe("a receiver that keeps the connection and", () => {
  test("never speaks TLS is given up after the time for TLS", async () => {
    const attempt = await attemptBeforeTls((socket) => void socket.resume(), { tlsTimeoutMs: 150 });
    expect(attempt.kind).toBe(TLS_FAILED);
    expect(attempt.reason).toBe("The TLS connection could not be made within 0.15 seconds.");
    expect(attempt.phases.tlsMs).toBeGreaterThan(100);
  });

  test("does not read the message is a timeout", async () => {
    const change = { body: Buffer.alloc(32 << 20), sendTimeoutMs: 200 };
    const attempt = await attemptAt(
      takes(1, () => undefined),
      change,
    );
    expect(attempt.kind).toBe(TIMEOUT);
    expect(attempt.reason).toBe("The receiver did not take the message within 0.2 seconds.");
  });

  test("reads the message and never replies is a timeout", async () => {
    const attempt = await attemptAt((socket) => void socket.resume(), { replyTimeoutMs: 150 });
    expect(attempt.kind).toBe(TIMEOUT);
    expect(attempt.reason).toBe("The receiver did not reply within 0.15 seconds.");
    expect(attempt.durationMs).toBeGreaterThanOrEqual(149);
  });
});

test("a port where nobody listens is a refused connection", async () => {
  server = await startTlsServer(certificate, () => undefined);
  await server.stop();
  const attempt = await send(server.port);
  expect(attempt).toMatchObject({
    kind: CONNECTION_FAILED,
    reason: "The receiver refused the connection (ECONNREFUSED).",
    remoteAddress: "",
  });
  expect(Object.keys(attempt.phases)).toEqual(["resolveMs", "connectMs"]);
});

test("a connection that broke before the exchange began is told at once", async () => {
  server = await startTlsServer(certificate, () => undefined);
  const limits = { sendTimeoutMs: 60_000, replyTimeoutMs: 60_000 };
  for (const failure of [undefined, Object.assign(new Error(), { code: "ECONNRESET" })]) {
    const socket = new TLSSocket(new Socket());
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.on("error", () => undefined).destroy(failure);
    await closed;
    const attempt = exchange(socket, body, limits, new AttemptTrace(), new AbortController().signal);
    await expect(attempt).rejects.toMatchObject({ kind: CONNECTION_FAILED });
  }
});
