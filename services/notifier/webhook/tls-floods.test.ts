import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { steadyClock } from "#shared/time/clock.ts";
import { makeServerCertificate } from "../../../deploy/local/certificates/self-signed.ts";
import { deliverTrusting, expectNoUncaughtException, patient, stopAfterTest } from "./deliver-fixture.ts";
import { type FloodOptions, floods, startFloodingReceiver } from "./flooding-receiver-fixture.ts";
import { startReceiverFixture } from "./receiver-fixture.ts";
import { startTlsServer } from "./tls-server-fixture.ts";
import { sessionLifetimeMs, TlsSessions } from "./tls-sessions.ts";

const certificate = await makeServerCertificate();
const deliver = deliverTrusting(certificate.caPem);

expectNoUncaughtException();

type FloodName = keyof typeof floods;

/** Collects the client's TCP sockets during a test. */
function clientSockets(): Socket[] {
  const sockets: Socket[] = [];
  const add = (message: unknown) => {
    if (typeof message === "object" && message !== null && "socket" in message && message.socket instanceof Socket)
      sockets.push(message.socket);
  };
  subscribe("net.client.socket", add);
  onTestFinished(() => void unsubscribe("net.client.socket", add));
  return sockets;
}

/** Delivers a message to a flooding receiver. @returns the attempt, and the bytes read from the receiver */
async function deliverToFlood(flood: FloodName, options?: FloodOptions) {
  const receiver = stopAfterTest(await startFloodingReceiver(certificate, floods[flood], options));
  const sockets = clientSockets();
  // Remembers sessions, so that each ticket of a flood causes an event.
  const sessions = new TlsSessions(sessionLifetimeMs, steadyClock);
  const attempt = await deliver(receiver.port, { sessions });
  await expect.poll(receiver.open, patient).toBe(0);
  expect(receiver.floodsBegun()).toBe(1);
  return { attempt, bytesRead: sockets.reduce((sum, socket) => sum + socket.bytesRead, 0) };
}

const tooMuch =
  "The receiver sent too many TLS records, or too much data without a final status. Check the TLS settings of the server.";
// The limits for the handshake and the reply, and one read of at most 64 KiB that exceeds them.
const bytesReadMax = (64 + 24 + 64) * 1_024;
const floodNames: readonly FloodName[] = [
  "keyUpdates",
  "requestedKeyUpdates",
  "sessionTickets",
  "fragmentedTicket",
  "tinyReplyRecords",
];

test.each(floodNames)("ends a delivery when the receiver sends a flood of %s instead of a reply", async (flood) => {
  const { attempt, bytesRead } = await deliverToFlood(flood);
  expect(attempt).toMatchObject({ kind: OutcomeKind.PROTOCOL_ERROR, httpStatus: 0, reason: tooMuch });
  expect(bytesRead).toBeLessThan(bytesReadMax);
});

test.each(floodNames)(
  "ends a delivery when the receiver sends a flood of %s right after the handshake",
  async (flood) => {
    const { attempt, bytesRead } = await deliverToFlood(flood, { after: "handshake" });
    expect(attempt).toMatchObject({ kind: OutcomeKind.PROTOCOL_ERROR, httpStatus: 0, reason: tooMuch });
    expect(bytesRead).toBeLessThan(bytesReadMax);
  },
);

test.each(floodNames)("keeps the status that precedes a flood of %s, and stops reading", async (flood) => {
  const { attempt, bytesRead } = await deliverToFlood(flood, { reply: "HTTP/1.1 200 OK\r\n" });
  expect(attempt).toMatchObject({ kind: OutcomeKind.DELIVERED, httpStatus: 200 });
  expect(bytesRead).toBeLessThan(bytesReadMax);
});

test("remembers no session of a receiver that has flooded, and no longer converts its tickets", async () => {
  const receiver = stopAfterTest(await startFloodingReceiver(certificate, floods.sessionTickets));
  const sessions = new TlsSessions(sessionLifetimeMs, steadyClock);
  const name = `127.0.0.1:${receiver.port}`;
  expect(await deliver(receiver.port, { sessions })).toMatchObject({ reason: tooMuch });
  expect(sessions.take(name)).toBeUndefined();
  const later = new TLSSocket(new Socket());
  sessions.rememberFrom(later, name);
  // Node converts tickets only for a listener.
  expect(later.listenerCount("session")).toBe(0);
  sessions.rememberFrom(later, "another:443");
  expect(later.listenerCount("session")).toBe(1);
});

test("ends a delivery when the receiver splits a handshake message into tiny records", async () => {
  // The header of a ServerHello of 16,384 bytes; each later record contains one more byte of the message.
  const first = Buffer.of(22, 3, 3, 0, 4, 2, 0, 0x40, 0);
  const fragments = Buffer.concat(Array.from({ length: 10_000 }, () => Buffer.of(22, 3, 3, 0, 1, 0)));
  const accept = (socket: Socket) => void socket.once("data", () => socket.write(Buffer.concat([first, fragments])));
  const server = stopAfterTest(await startTlsServer(certificate, () => undefined, { accept }));
  expect(await deliver(server.port)).toMatchObject({ kind: OutcomeKind.PROTOCOL_ERROR, reason: tooMuch });
});

test("refuses to renegotiate a TLS 1.2 connection", async () => {
  let requested = 0;
  let renegotiated = 0;
  const renegotiate = (socket: TLSSocket) =>
    void socket.once("data", () => {
      const repeat = (error: Error | null) => {
        if (error !== null) return;
        renegotiated++;
        if (!socket.destroyed) socket.renegotiate({}, repeat);
      };
      if (socket.renegotiate({}, repeat) === true) requested++;
    });
  const server = stopAfterTest(await startTlsServer(certificate, renegotiate, { tls: { maxVersion: "TLSv1.2" } }));
  const attempt = await deliver(server.port, { replyTimeoutMs: 500 });
  // The receiver requested the renegotiation after a complete handshake, when the message had been sent.
  expect(Object.keys(attempt.phases)).toEqual(["resolveMs", "connectMs", "tlsMs", "sendMs", "replyMs"]);
  expect(attempt.httpStatus).toBe(0);
  expect([requested, renegotiated]).toEqual([1, 0]);
});

test("delivers 49 messages while ten other receivers send floods", async () => {
  const flooding = await Promise.all(
    Array.from({ length: 10 }, async (_, index) => {
      const flood = floodNames[index % floodNames.length] ?? "keyUpdates";
      return stopAfterTest(await startFloodingReceiver(certificate, floods[flood]));
    }),
  );
  const good = stopAfterTest(
    await startReceiverFixture(certificate, (socket) => void socket.write("HTTP/1.1 204 No Content\r\n\r\n")),
  );
  const sockets = clientSockets();
  // Senders and receivers share this process, so 59 handshakes take a long time on a busy machine.
  const limits = { tlsTimeoutMs: 20_000, sendTimeoutMs: 20_000, replyTimeoutMs: 20_000 };
  const floodAttempts = flooding.map(({ port }) => deliver(port, limits));
  const goodAttempts = Array.from({ length: 49 }, () => deliver(good.port, limits));
  const kinds = async (attempts: readonly ReturnType<typeof deliver>[]) =>
    (await Promise.all(attempts)).map(({ kind }) => kind);
  expect(await kinds(goodAttempts)).toEqual(goodAttempts.map(() => OutcomeKind.DELIVERED));
  expect(await kinds(floodAttempts)).toEqual(floodAttempts.map(() => OutcomeKind.PROTOCOL_ERROR));
  expect(good.requests).toHaveLength(49);
  expect(Math.max(...sockets.map(({ bytesRead }) => bytesRead))).toBeLessThan(bytesReadMax);
});
