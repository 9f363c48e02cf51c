import { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { describe, expect, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";

import { makeServerCertificate } from "../../../deploy/local/certificates/self-signed.ts";

import { AttemptTrace } from "./attempt-trace.ts";
import {
  type DeliveryChange,
  deliverTrusting,
  expectNoUncaughtException,
  patient,
  stopAfterTest,
} from "./deliver-fixture.ts";
import { exchange } from "./exchange.ts";
import { startTlsServer, type TlsServerOptions } from "./tls-server-fixture.ts";

const { DELIVERED, REFUSED, TIMEOUT, CONNECTION_FAILED, TLS_FAILED } = OutcomeKind;

const certificate = await makeServerCertificate();
const deliver = deliverTrusting(certificate.caPem);
expectNoUncaughtException();

const body = Buffer.alloc(4 << 20, "x");
const long: DeliveryChange = { body };
const short: DeliveryChange = {};

type OnSecure = (socket: TLSSocket, reset: () => void) => void;

/** Delivers to a server that calls `onSecure` after the TLS handshake. */
async function deliverTo(onSecure: OnSecure, change = short, options: TlsServerOptions = {}) {
  const sockets: TLSSocket[] = [];
  const handle = (socket: TLSSocket) => {
    sockets.push(socket);
    onSecure(socket, () => server.reset(socket));
  };
  const server = stopAfterTest(await startTlsServer(certificate, handle, options));
  const attempt = await deliver(server.port, change);
  const open = () => {
    // A paused socket does not notice the end of its connection.
    for (const socket of sockets) socket.resume();
    return server.open();
  };
  await expect.poll(open, patient).toBe(0);
  return attempt;
}

/** Delivers to a server that calls `accept` instead of starting the TLS handshake. */
const deliverBeforeTls = (accept: (socket: Socket) => void, change = short) =>
  deliverTo(() => undefined, change, { accept });

/** Returns a function that reads at least `bytesMin` bytes of the message, pauses the socket and calls `then`. */
const reads = (bytesMin: number, then: () => void) => (socket: TLSSocket) => {
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes < bytesMin) return;
    socket.off("data", count).pause();
    then();
  };
  socket.on("data", count);
};

const repliesAndResets =
  (text: string): OnSecure =>
  (socket, reset) =>
    reads(1, () => socket.write(text, reset))(socket);

const broken = (code: string) =>
  `The connection broke before the receiver replied (${code}). Check the logs of the server for a crash or a restart.`;
const brokenHandshake =
  "The connection broke during the TLS handshake (ECONNRESET). Check the TLS configuration and the logs of the server.";

describe("a connection", () => {
  test("reset on accept is reported as a failed connection or a TLS failure", async () => {
    const attempt = await deliverBeforeTls((socket) => void socket.resetAndDestroy());
    // The reset can arrive before or after the client notices that TCP is connected, so both kinds are correct.
    expect([CONNECTION_FAILED, TLS_FAILED]).toContain(attempt.kind);
    expect(attempt.reason).toContain("(ECONNRESET)");
  });

  test.each<[string, (socket: Socket) => void]>([
    ["reset after the client hello", (socket) => void socket.resetAndDestroy()],
    [
      "reset in the middle of the server hello",
      (socket) => void socket.write(Buffer.from("160303007a0200007603", "hex"), () => socket.resetAndDestroy()),
    ],
    ["closed after the client hello", (socket) => void socket.end()],
  ])("%s is reported as a TLS failure", async (_name, react) => {
    const attempt = await deliverBeforeTls((socket) => void socket.once("data", () => react(socket)));
    expect(attempt).toMatchObject({ kind: TLS_FAILED, httpStatus: 0, reason: brokenHandshake });
    expect(attempt.remoteAddress).toBe("127.0.0.1");
    expect(Object.keys(attempt.phases)).toEqual(["resolveMs", "connectMs", "tlsMs"]);
  });

  test.each<[string, OnSecure]>([
    ["before the message", (_socket, reset) => reset()],
    ["after the request headers", (socket, reset) => reads(1, reset)(socket)],
    ["in the middle of the request body", (socket, reset) => reads(1 << 20, reset)(socket)],
    ["after the request body", (socket, reset) => reads(body.length, reset)(socket)],
    ["in the middle of the status line", repliesAndResets("HTTP/1.1 2")],
    ["after an interim reply", repliesAndResets("HTTP/1.1 100 Continue\r\n\r\n")],
  ])("reset %s is reported as a failed connection", async (_name, onSecure) => {
    const attempt = await deliverTo(onSecure, long);
    expect(attempt).toMatchObject({ kind: CONNECTION_FAILED, httpStatus: 0 });
    // A reset while the message is being written causes ECONNRESET or EPIPE.
    expect([broken("ECONNRESET"), broken("EPIPE")]).toContain(attempt.reason);
    expect(attempt.phases).toHaveProperty("sendMs");
  });

  test.each([
    ["after the status line", "HTTP/1.1 200 OK\r\n", 200, ""],
    ["in the middle of the response headers", "HTTP/1.1 200 OK\r\nContent-Le", 200, ""],
    ["in the middle of the response body", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok", 200, "ok"],
    ["after a status sent before the message was read", "HTTP/1.1 413 No\r\n\r\nbig", 413, "big"],
  ])("reset %s does not change the outcome", async (_name, text, httpStatus, replyExcerpt) => {
    const expected = { kind: httpStatus === 200 ? DELIVERED : REFUSED, httpStatus, replyExcerpt };
    for (const change of [short, long]) expect(await deliverTo(repliesAndResets(text), change)).toMatchObject(expected);
  });
});

test("reports a status sent before the message was read, not a send timeout", async () => {
  const early: OnSecure = (socket) => reads(1, () => void socket.write("HTTP/1.1 413 No\r\n\r\n"))(socket);
  const attempt = await deliverTo(early, { ...long, sendTimeoutMs: 10_000 });
  expect(attempt).toMatchObject({ kind: REFUSED, httpStatus: 413 });
  expect(Object.keys(attempt.phases)).toEqual(["resolveMs", "connectMs", "tlsMs", "sendMs"]);
});

describe("times out", () => {
  test("when the receiver never starts TLS", async () => {
    const attempt = await deliverBeforeTls((socket) => void socket.resume(), { tlsTimeoutMs: 150 });
    expect(attempt.kind).toBe(TLS_FAILED);
    expect(attempt.reason).toBe(
      "The TLS handshake was not completed within 0.15 seconds. Check the load and the logs of the server.",
    );
    expect(attempt.phases.tlsMs).toBeGreaterThan(100);
  });

  test("when the receiver does not read the message", async () => {
    const change = { body: Buffer.alloc(32 << 20), sendTimeoutMs: 200 };
    const readsHead = reads(1, () => undefined);
    const attempt = await deliverTo(readsHead, change);
    expect(attempt.kind).toBe(TIMEOUT);
    expect(attempt.reason).toBe(
      "The receiver did not accept the message within 0.2 seconds. Check the load on the server.",
    );
  });

  test("when the receiver never replies", async () => {
    const attempt = await deliverTo((socket) => void socket.resume(), { replyTimeoutMs: 150 });
    expect(attempt.kind).toBe(TIMEOUT);
    expect(attempt.reason).toBe(
      "The receiver did not reply within 0.15 seconds. Reply before you process the message.",
    );
    expect(attempt.durationMs).toBeGreaterThanOrEqual(149);
  });
});

test("reports a closed port as a refused connection", async () => {
  const server = await startTlsServer(certificate, () => undefined);
  await server.stop();
  const attempt = await deliver(server.port);
  expect(attempt).toMatchObject({
    kind: CONNECTION_FAILED,
    reason:
      "The receiver refused the connection (ECONNREFUSED). " +
      "Check that the server is running and that the webhook URL has the correct port.",
    remoteAddress: "",
  });
  expect(Object.keys(attempt.phases)).toEqual(["resolveMs", "connectMs"]);
});

test("fails immediately if the connection is closed or broken before the exchange", async () => {
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
