import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { SecureContext, TLSSocket } from "node:tls";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { refusedHosts } from "#shared/address-guard/refused-hosts-fixture.ts";
import { makeServerCertificate, type ServerCertificate } from "../../../deploy/local/receiver/self-signed.ts";
import { createDeliver, type DeliverOptions } from "./deliver.ts";
import { DeliveryFailure } from "./delivery-failure.ts";
import { guardAllowing, loopbackGuard } from "./guard-fixture.ts";
import { type ListenerFixture, startListener } from "./listener-fixture.ts";
import { type NameAnswer, startNameServer } from "./name-server-fixture.ts";
import { type ReceiverFixture, startReceiverFixture } from "./receiver-fixture.ts";
import { createAddressResolver } from "./resolve-addresses.ts";
import { deliverySecureContext } from "./secure-context.ts";

const allowed = "127.0.0.1";
// A Mac has no 127.0.0.2.
const forbidden = process.platform === "darwin" ? "::1" : "127.0.0.2";
const allowingOne = guardAllowing(`${allowed}/32`);
const allowingNone = guardAllowing("");
const body = Buffer.from("{}");
const patient = { timeout: 10_000, interval: 10 };
let certificate: ServerCertificate;
let secureContext: SecureContext;
const undo: (() => Promise<void>)[] = [];

beforeAll(async () => {
  certificate = await makeServerCertificate({ hostnames: ["receiver.example", "localhost"] });
  secureContext = deliverySecureContext({ extraAuthoritiesPem: certificate.caPem });
});
afterEach(async () => {
  for (const stop of undo.splice(0).toReversed()) await stop();
});

function stopping<T extends { stop(): Promise<void> }>(started: T): T {
  undo.push(() => started.stop());
  return started;
}

/** A receiver on the allowed address. */
async function receive(): Promise<ReceiverFixture> {
  return stopping(
    await startReceiverFixture(certificate, (socket) => socket.end("HTTP/1.1 204 Fine\r\n\r\n")),
  );
}

/** A name server that says this about every name. */
const nameServer = async (answer: () => NameAnswer) => stopping(await startNameServer(answer));

type Options = Partial<DeliverOptions> & Pick<DeliverOptions, "guard">;

function deliver(url: string, options: Options, cut = new AbortController().signal) {
  const send = createDeliver({
    secureContext,
    resolveAddresses: createAddressResolver(),
    lookUpTimeoutMs: 2_000,
    connectTimeoutMs: 2_000,
    tlsTimeoutMs: 2_000,
    sendTimeoutMs: 2_000,
    replyTimeoutMs: 2_000,
    ...options,
  });
  return send({ eventId: "event-1", url, body, secret: new Uint8Array() }, cut);
}

describe("the table of refused hosts", () => {
  test("reaches a listener on all addresses not once, and no name server", async () => {
    const listener = stopping(await startListener());
    const server = await nameServer(() => ["127.0.0.1", "::1"]);
    const resolveAddresses = createAddressResolver([server.address]);
    for (const [host, words] of refusedHosts) {
      const attempt = await deliver(`https://${host}:${listener.port}/`, {
        guard: allowingNone,
        resolveAddresses,
      });
      expect(attempt, host).toMatchObject({
        kind: OutcomeKind.BLOCKED,
        httpStatus: 0,
        reason: `The webhook URL names ${words}.`,
      });
    }
    expect(listener.reached).toEqual([]);
    expect(server.questions).toEqual([]);
  });

  test("would reach it, if nothing stood in the way", async () => {
    const listener = stopping(await startListener());
    const guard = { hostProblem: () => undefined, addressProblem: () => undefined };
    const here = refusedHosts.filter(([, words]) => /\((loopback|localhost)/.test(words));
    for (const [host] of here) await deliver(`https://${host}:${listener.port}/`, { guard, tlsTimeoutMs: 1 });
    expect(listener.reached.length).toBeGreaterThan(25);
  });
});

test("a port that is none is refused in the words with which its URL is not saved", async () => {
  const attempt = await deliver("https://receiver.example:0/", { guard: loopbackGuard });
  const reason = "The webhook URL names port 0; use a port from 1 to 65535.";
  expect(attempt).toMatchObject({ kind: OutcomeKind.BLOCKED, reason });
});

describe("a name", () => {
  test("is looked up once for each attempt, so that no second answer counts", async () => {
    const receiver = await receive();
    const trap = stopping(await startListener(forbidden, receiver.port));
    let asked = 0;
    const rebinding = await nameServer(() => (asked++ < 2 ? [allowed] : [forbidden]));
    const options = { guard: allowingOne, resolveAddresses: createAddressResolver([rebinding.address]) };
    const url = `https://receiver.example:${receiver.port}/`;
    expect(await deliver(url, options)).toMatchObject({ kind: OutcomeKind.DELIVERED });
    expect(rebinding.questions).toHaveLength(2);
    expect(await deliver(url, options)).toMatchObject({
      kind: OutcomeKind.BLOCKED,
      reason:
        "The webhook URL leads to a non-public address (loopback); use a host that is reachable from the internet.",
    });
    expect(rebinding.questions).toHaveLength(4);
    expect(receiver.requests).toHaveLength(1);
    expect(trap.reached).toEqual([]);
  });

  test.each([
    [[allowed, forbidden]],
    [[forbidden, allowed]],
    [[allowed, "::1"]],
    [[allowed, "::ffff:127.0.0.1"]],
  ])("with the addresses %j is refused whole for the one that is not allowed", async (addresses) => {
    const receiver = await receive();
    const trap = stopping(await startListener(forbidden, receiver.port));
    const server = await nameServer(() => addresses);
    const resolveAddresses = createAddressResolver([server.address]);
    const url = `https://receiver.example:${receiver.port}/`;
    const attempt = await deliver(url, { guard: allowingOne, resolveAddresses });
    expect(attempt.kind).toBe(OutcomeKind.BLOCKED);
    expect([receiver.connections(), ...trap.reached]).toEqual([0]);
  });

  test("that ends with a dot is the same receiver, which is told the name without it (RFC 6066)", async () => {
    const told: unknown[] = [];
    const reply = (socket: TLSSocket) => {
      told.push(socket.servername);
      socket.end("HTTP/1.1 204 Fine\r\n\r\n");
    };
    const receiver = stopping(await startReceiverFixture(certificate, reply));
    const server = await nameServer(() => [allowed]);
    const resolveAddresses = createAddressResolver([server.address]);
    const url = `https://receiver.example.:${receiver.port}/`;
    expect((await deliver(url, { guard: allowingOne, resolveAddresses })).kind).toBe(OutcomeKind.DELIVERED);
    expect(told).toEqual(["receiver.example"]);
  });

  test("localhost is allowed by name if both of its addresses are", async () => {
    const receiver = await receive();
    const url = `https://localhost:${receiver.port}/`;
    expect((await deliver(url, { guard: loopbackGuard })).kind).toBe(OutcomeKind.BLOCKED);
    expect((await deliver(url, { guard: guardAllowing("127.0.0.0/8", "localhost") })).kind).toBe(
      OutcomeKind.BLOCKED,
    );
    expect(receiver.connections()).toBe(0);
    const guard = guardAllowing("127.0.0.0/8, ::1/128", "localhost");
    expect((await deliver(url, { guard })).kind).toBe(OutcomeKind.DELIVERED);
  });

  test.each<[NameAnswer, string]>([
    ["NXDOMAIN", "The receiver's host name was not found (ENOTFOUND)."],
    [[], "The receiver's host name was not found (ENODATA)."],
    ["SERVFAIL", "The receiver's host name could not be looked up (ESERVFAIL)."],
    ["silence", "The receiver's host name could not be looked up within 0.2 seconds."],
  ])("about which the name server says %j is no failure of the receiver", async (answer, reason) => {
    const server = await nameServer(() => answer);
    const resolveAddresses = createAddressResolver([server.address]);
    const options = {
      guard: allowingOne,
      resolveAddresses,
      lookUpTimeoutMs: answer === "silence" ? 200 : 2_000,
    };
    expect(await deliver("https://receiver.example/", options)).toMatchObject({
      kind: OutcomeKind.CONNECTION_FAILED,
      reason,
    });
  });
});

test("a socket that is connected to an address that is not allowed sends not a byte", async () => {
  const listener = stopping(await startListener(allowed));
  const judged: string[] = [];
  const guard = {
    hostProblem: () => undefined,
    addressProblem: (address: string) => {
      judged.push(address);
      return judged.length === 1 ? undefined : "a non-public address (loopback)";
    },
  };
  const resolveAddresses = async () => [allowed];
  const url = `https://receiver.example:${listener.port}/`;
  const attempt = await deliver(url, { guard, resolveAddresses });
  expect(attempt.kind).toBe(OutcomeKind.BLOCKED);
  expect(judged).toEqual([allowed, allowed]);
  await expect.poll(() => listener.reached, patient).toEqual([allowed]);
  await expect.poll(listener.open, patient).toBe(0);
  expect(listener.bytesReceived()).toBe(0);
});

test("a socket that has lost its other side is a broken connection, and sends not a byte", async () => {
  const listener = stopping(await startListener(allowed));
  // What the kernel says after a reset right behind the handshake.
  const loseOtherSide = (opened: unknown) => {
    const { socket } = opened as { socket: object };
    Object.defineProperty(socket, "remoteAddress", { value: undefined });
  };
  subscribe("net.client.socket", loseOtherSide);
  undo.push(async () => void unsubscribe("net.client.socket", loseOtherSide));
  expect(await deliver(`https://${allowed}:${listener.port}/`, { guard: allowingOne })).toMatchObject({
    kind: OutcomeKind.CONNECTION_FAILED,
    reason: "The connection broke before the receiver's reply (ECONNRESET).",
    remoteAddress: "",
  });
  await expect.poll(() => listener.reached, patient).toEqual([allowed]);
  await expect.poll(listener.open, patient).toBe(0);
  expect(listener.bytesReceived()).toBe(0);
});

test("the next address is tried when the first one takes no connection", async () => {
  const receiver = await receive();
  const resolveAddresses = async () => ["::1", allowed];
  const url = `https://receiver.example:${receiver.port}/`;
  const attempt = await deliver(url, { guard: loopbackGuard, resolveAddresses });
  expect(attempt.kind).toBe(OutcomeKind.DELIVERED);
  expect(receiver.connections()).toBe(1);
});

test("of a name's addresses all are judged, and no more than eight tried", async () => {
  const receiver = await receive();
  const [nobody, url] = [Array<string>(8).fill("::1"), `https://receiver.example:${receiver.port}/`];
  const attempt = (...addresses: string[]) =>
    deliver(url, { guard: loopbackGuard, resolveAddresses: async () => addresses });
  expect((await attempt(...nobody, allowed)).kind).toBe(OutcomeKind.CONNECTION_FAILED);
  expect((await attempt(...nobody, "10.0.0.1")).kind).toBe(OutcomeKind.BLOCKED);
  expect((await attempt(...nobody.slice(1), allowed)).kind).toBe(OutcomeKind.DELIVERED);
});

describe("an attempt that is cut short ends at once", () => {
  const stopped = new DeliveryFailure(OutcomeKind.INTERRUPTED, "Stopped.");
  const untilCut = { lookUpTimeoutMs: 20_000, connectTimeoutMs: 20_000, tlsTimeoutMs: 20_000 };

  test("while the name is looked up", async () => {
    const cut = new AbortController();
    const server = await nameServer(() => {
      cut.abort(stopped);
      return "silence";
    });
    const resolveAddresses = createAddressResolver([server.address]);
    const options = { ...untilCut, guard: allowingOne, resolveAddresses };
    expect(await deliver("https://receiver.example/", options, cut.signal)).toMatchObject({
      reason: "Stopped.",
    });
  });

  test("during the TLS handshake, and leaves nothing open", async () => {
    const cut = new AbortController();
    const listener: ListenerFixture = stopping(await startListener(allowed));
    const attempt = deliver(
      `https://${allowed}:${listener.port}/`,
      { ...untilCut, guard: allowingOne },
      cut.signal,
    );
    await expect.poll(listener.bytesReceived, patient).toBeGreaterThan(0);
    cut.abort(stopped);
    expect(await attempt).toMatchObject({ kind: OutcomeKind.INTERRUPTED, reason: "Stopped." });
    await expect.poll(listener.open, patient).toBe(0);
  });
});
