import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { describe, expect, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { steadyClock } from "#shared/time/clock.ts";
import { makeServerCertificate } from "../../../deploy/local/certificates/self-signed.ts";
import { deliverTrusting, stopAfterTest } from "./deliver-fixture.ts";
import { startReceiverFixture } from "./receiver-fixture.ts";
import type { TlsServerOptions } from "./tls-server-fixture.ts";
import { TlsSessions } from "./tls-sessions.ts";

const lifetimeMs = 300_000;
const dayMs = 86_400_000;
const certificate = await makeServerCertificate({ hostnames: ["receiver.example"] });
const deliver = deliverTrusting(certificate.caPem);
const resolveAddresses = async () => ["127.0.0.1"];

/** Starts a receiver that records for each connection whether it resumed a session. */
async function startReceiver(options: TlsServerOptions = {}) {
  const resumed: boolean[] = [];
  const reply = (socket: TLSSocket) => {
    resumed.push(socket.isSessionReused());
    socket.end("HTTP/1.1 204 Fine\r\n\r\n");
  };
  const receiver = stopAfterTest(await startReceiverFixture(certificate, reply, options));
  return { ...receiver, resumed };
}

/** Creates a {@link TlsSessions} with a clock that the test advances. */
function sessionsOf(ms = lifetimeMs) {
  let passedMs = 0;
  const sessions = new TlsSessions(ms, { now: () => steadyClock.now() + passedMs });
  const advance = (byMs: number) => {
    passedMs += byMs;
  };
  return { sessions, advance };
}

const delivered = { kind: OutcomeKind.DELIVERED, httpStatus: 204 };

describe("the session of a receiver", () => {
  test("is resumed by later deliveries to the same host and port", async () => {
    const receiver = await startReceiver();
    const { sessions } = sessionsOf();
    for (let count = 0; count < 3; count++) expect(await deliver(receiver.port, { sessions })).toMatchObject(delivered);
    expect(receiver.resumed).toEqual([false, true, true]);
    expect(receiver.requests).toHaveLength(3);
  });

  test("is not offered under another host name, whose certificate must be verified", async () => {
    const receiver = await startReceiver();
    const change = { ...sessionsOf(), resolveAddresses };
    const urlOf = (host: string) => `https://${host}:${receiver.port}/`;
    expect(await deliver(urlOf("receiver.example"), change)).toMatchObject(delivered);
    expect((await deliver(urlOf("other.example"), change)).kind).toBe(OutcomeKind.TLS_FAILED);
    expect(await deliver(urlOf("receiver.example"), change)).toMatchObject(delivered);
    expect(receiver.resumed).toEqual([false, true]);
  });

  test("ends after its lifetime, which resumed connections do not prolong", async () => {
    const receiver = await startReceiver();
    const { sessions, advance } = sessionsOf();
    for (let count = 0; count < 4; count++) {
      expect(await deliver(receiver.port, { sessions })).toMatchObject(delivered);
      advance(lifetimeMs / 2 + 1);
    }
    expect(receiver.resumed).toEqual([false, true, false, true]);
  });

  test("is not remembered with a lifetime of 0", async () => {
    const receiver = await startReceiver();
    const { sessions } = sessionsOf(0);
    for (let count = 0; count < 2; count++) expect(await deliver(receiver.port, { sessions })).toMatchObject(delivered);
    expect(receiver.resumed).toEqual([false, false]);
  });

  test("is not remembered with TLS 1.2", async () => {
    const receiver = await startReceiver({ tls: { maxVersion: "TLSv1.2" } });
    const { sessions } = sessionsOf();
    for (let count = 0; count < 2; count++) expect(await deliver(receiver.port, { sessions })).toMatchObject(delivered);
    expect(receiver.resumed).toEqual([false, false]);
  });
});

test.each([
  ["closes resumed connections", (socket: TLSSocket) => void socket.destroy(), OutcomeKind.CONNECTION_FAILED],
  [
    "refuses messages on resumed connections",
    (socket: TLSSocket) => void socket.end("HTTP/1.1 421 Misdirected\r\n\r\n"),
    OutcomeKind.REFUSED,
  ],
])("a receiver that %s misses one message, and is offered no session for a day", async (_name, answer, kind) => {
  let accepted = 0;
  const reply = (socket: TLSSocket) => {
    if (socket.isSessionReused()) return answer(socket);
    accepted++;
    socket.end("HTTP/1.1 204 Fine\r\n\r\n");
  };
  const receiver = stopAfterTest(await startReceiverFixture(certificate, reply));
  const { sessions, advance } = sessionsOf();
  const kinds: OutcomeKind[] = [];
  const deliverOne = async () => void kinds.push((await deliver(receiver.port, { sessions })).kind);
  for (let count = 0; count < 4; count++) await deliverOne();
  expect(kinds).toEqual([OutcomeKind.DELIVERED, kind, OutcomeKind.DELIVERED, OutcomeKind.DELIVERED]);
  advance(dayMs);
  for (let count = 0; count < 2; count++) await deliverOne();
  expect(kinds.slice(4)).toEqual([OutcomeKind.DELIVERED, kind]);
  expect([accepted, receiver.requests.length]).toEqual([4, 6]);
});

test("a receiver that cannot handle resumed connections misses only one of the messages sent together", async () => {
  const reply = (socket: TLSSocket) =>
    socket.isSessionReused() ? void socket.destroy() : void socket.end("HTTP/1.1 204 Fine\r\n\r\n");
  const receiver = stopAfterTest(await startReceiverFixture(certificate, reply));
  const { sessions } = sessionsOf();
  await deliver(receiver.port, { sessions });
  const attempts = await Promise.all(Array.from({ length: 20 }, () => deliver(receiver.port, { sessions })));
  expect(attempts.filter(({ kind }) => kind !== OutcomeKind.DELIVERED)).toHaveLength(1);
});

test("a session that the receiver does not resume is replaced", async () => {
  const receiver = await startReceiver({ tls: { ticketKeys: Buffer.alloc(48, 1) } });
  const { sessions } = sessionsOf();
  expect(await deliver(receiver.port, { sessions })).toMatchObject(delivered);
  receiver.setTicketKeys(Buffer.alloc(48, 2));
  for (let count = 0; count < 3; count++) expect(await deliver(receiver.port, { sessions })).toMatchObject(delivered);
  expect(receiver.resumed).toEqual([false, false, true, true]);
});

test("a receiver that fails to resume its session gets the message once, and is offered no session for a day", async () => {
  const connections: Socket[] = [];
  // The second connection is the first one that offers a session.
  const accept = (socket: Socket) => {
    if (connections.push(socket) === 2) socket.once("data", () => socket.resetAndDestroy());
    else receiver.accept(socket);
  };
  const receiver = await startReceiver({ accept });
  const { sessions, advance } = sessionsOf();
  for (let count = 0; count < 3; count++) expect(await deliver(receiver.port, { sessions })).toMatchObject(delivered);
  expect(connections).toHaveLength(4);
  expect(receiver.resumed).toEqual([false, false, false]);
  advance(dayMs + 1);
  for (let count = 0; count < 2; count++) expect(await deliver(receiver.port, { sessions })).toMatchObject(delivered);
  expect(receiver.resumed.slice(3)).toEqual([false, true]);
  expect(receiver.requests).toHaveLength(5);
});

test("does not retry with a full handshake if the receiver does not answer a handshake that offers a session", async () => {
  const connections: Socket[] = [];
  const accept = (socket: Socket) => {
    if (connections.push(socket) !== 2) receiver.accept(socket);
  };
  const receiver = await startReceiver({ accept });
  const { sessions } = sessionsOf();
  expect(await deliver(receiver.port, { sessions })).toMatchObject(delivered);
  expect((await deliver(receiver.port, { sessions, tlsTimeoutMs: 200 })).kind).toBe(OutcomeKind.TLS_FAILED);
  expect(await deliver(receiver.port, { sessions })).toMatchObject(delivered);
  expect(connections).toHaveLength(3);
  expect(receiver.resumed).toEqual([false, false]);
});
