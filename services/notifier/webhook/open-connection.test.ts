import type { TLSSocket } from "node:tls";
import { describe, expect, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { reason } from "#shared/reasons/reason.ts";

import { makeServerCertificate } from "../../../deploy/local/certificates/self-signed.ts";
import { deliverTrusting, patient, stopAfterTest } from "./deliver-fixture.ts";

import { DeliveryFailure } from "./delivery-failure.ts";
import { guardAllowing } from "./guard-fixture.ts";
import { startListener } from "./listener-fixture.ts";
import { type NameAnswer, startNameServer } from "./name-server-fixture.ts";
import { startReceiverFixture } from "./receiver-fixture.ts";
import { createAddressResolver } from "./resolve-addresses.ts";

const allowed = "127.0.0.1";
// macOS has no 127.0.0.2.
const forbidden = process.platform === "darwin" ? "::1" : "127.0.0.2";
const guard = guardAllowing(`${allowed}/32`);
const certificate = await makeServerCertificate({ hostnames: ["receiver.example", "localhost"] });
const deliver = deliverTrusting(certificate.caPem);

async function startReceiver(onRequest: (socket: TLSSocket) => void = () => undefined) {
  const receiver = await startReceiverFixture(certificate, (socket) => {
    onRequest(socket);
    socket.end("HTTP/1.1 204 Fine\r\n\r\n");
  });
  return { ...stopAfterTest(receiver), url: `https://receiver.example:${receiver.port}/` };
}

const listen = async (host: string, port = 0) => stopAfterTest(await startListener(host, port));

/** Starts a name server that answers every query with the result of `answer`, and creates a resolver that uses it. */
async function resolveWith(answer: () => NameAnswer) {
  const nameServer = stopAfterTest(await startNameServer(answer));
  return { questions: nameServer.questions, resolveAddresses: createAddressResolver([nameServer.address]) };
}

describe("a host name", () => {
  test("is resolved once per attempt, so that DNS rebinding has no effect", async () => {
    const receiver = await startReceiver();
    const trap = await listen(forbidden, receiver.port);
    let asked = 0;
    const { questions, resolveAddresses } = await resolveWith(() => [asked++ < 2 ? allowed : forbidden]);
    const options = { guard, resolveAddresses };
    expect(await deliver(receiver.url, options)).toMatchObject({ kind: OutcomeKind.DELIVERED });
    expect(questions).toHaveLength(2);
    const blocked = await deliver(receiver.url, options);
    expect(blocked.kind).toBe(OutcomeKind.BLOCKED);
    expect(blocked.reason).toMatch(/^The webhook URL resolves to a non-public address \(loopback\)/);
    expect(questions).toHaveLength(4);
    expect(receiver.requests).toHaveLength(1);
    expect(trap.acceptedOn).toEqual([]);
  });

  test.each([[[allowed, forbidden]], [[forbidden, allowed]], [[allowed, "::1"]], [[allowed, "::ffff:127.0.0.1"]]])(
    "with the addresses %j is blocked because one of them is not allowed",
    async (addresses) => {
      const receiver = await startReceiver();
      const trap = await listen(forbidden, receiver.port);
      const { resolveAddresses } = await resolveWith(() => addresses);
      const attempt = await deliver(receiver.url, { guard, resolveAddresses });
      expect(attempt.kind).toBe(OutcomeKind.BLOCKED);
      expect([receiver.connections(), ...trap.acceptedOn]).toEqual([0]);
    },
  );

  test("with a trailing dot is sent without the dot as the TLS server name (RFC 6066)", async () => {
    const serverNames: unknown[] = [];
    const receiver = await startReceiver((socket) => serverNames.push(socket.servername));
    const { resolveAddresses } = await resolveWith(() => [allowed]);
    const url = receiver.url.replace("receiver.example", "receiver.example.");
    expect((await deliver(url, { guard, resolveAddresses })).kind).toBe(OutcomeKind.DELIVERED);
    expect(serverNames).toEqual(["receiver.example"]);
  });

  test("such as localhost is blocked unless the name and both loopback addresses are allowed", async () => {
    const receiver = await startReceiver();
    const url = `https://localhost:${receiver.port}/`;
    expect((await deliver(url)).kind).toBe(OutcomeKind.BLOCKED);
    const withoutIpv6 = guardAllowing("127.0.0.0/8", "localhost");
    expect((await deliver(url, { guard: withoutIpv6 })).kind).toBe(OutcomeKind.BLOCKED);
    expect(receiver.connections()).toBe(0);
    const withBoth = guardAllowing("127.0.0.0/8, ::1/128", "localhost");
    expect((await deliver(url, { guard: withBoth })).kind).toBe(OutcomeKind.DELIVERED);
  });

  const checkRecords = "Check the webhook URL and the DNS records of the host.";
  const checkServers = "Check the name servers of the domain.";

  test.each<[NameAnswer, string]>([
    ["NXDOMAIN", `The receiver's host name was not found (ENOTFOUND). ${checkRecords}`],
    [[], "The receiver's host name has no IP address (ENODATA). Check the DNS records of the host."],
    ["SERVFAIL", `The receiver's host name could not be resolved (ESERVFAIL). ${checkServers}`],
    ["silence", `The receiver's host name could not be resolved within 0.2 seconds. ${checkServers}`],
  ])("with the DNS answer %j causes a failed connection", async (answer, text) => {
    const { resolveAddresses } = await resolveWith(() => answer);
    const lookUpTimeoutMs = answer === "silence" ? 200 : 2_000;
    const attempt = await deliver("https://receiver.example/", { guard, resolveAddresses, lookUpTimeoutMs });
    expect(attempt).toMatchObject({ kind: OutcomeKind.CONNECTION_FAILED, reason: text });
  });
});

test("tries the next address if the first one does not accept the connection", async () => {
  const receiver = await startReceiver();
  const attempt = await deliver(receiver.url, { resolveAddresses: async () => ["::1", allowed] });
  expect(attempt.kind).toBe(OutcomeKind.DELIVERED);
  expect(receiver.connections()).toBe(1);
});

test("checks all addresses of a name, but tries at most eight of them", async () => {
  const receiver = await startReceiver();
  const unused = Array<string>(8).fill("::1");
  const deliverTo = (...addresses: string[]) => deliver(receiver.url, { resolveAddresses: async () => addresses });
  expect((await deliverTo(...unused, allowed)).kind).toBe(OutcomeKind.CONNECTION_FAILED);
  expect((await deliverTo(...unused, "10.0.0.1")).kind).toBe(OutcomeKind.BLOCKED);
  expect((await deliverTo(...unused.slice(1), allowed)).kind).toBe(OutcomeKind.DELIVERED);
});

describe("an attempt ends immediately when interrupted", () => {
  const stopped = new DeliveryFailure(OutcomeKind.INTERRUPTED, reason("attempt_interrupted"));
  const patientLimits = { lookUpTimeoutMs: 20_000, connectTimeoutMs: 20_000, tlsTimeoutMs: 20_000 };

  test("during the DNS query", async () => {
    const interrupt = new AbortController();
    const { resolveAddresses } = await resolveWith(() => {
      interrupt.abort(stopped);
      return "silence";
    });
    const options = { ...patientLimits, guard, resolveAddresses };
    const attempt = await deliver("https://receiver.example/", options, interrupt.signal);
    expect(attempt).toMatchObject({ reason: expect.stringMatching(/^The sender was stopped or paused/) });
  });

  test("during the TLS handshake, and closes the socket", async () => {
    const interrupt = new AbortController();
    const listener = await listen(allowed);
    const url = `https://${allowed}:${listener.port}/`;
    const attempt = deliver(url, patientLimits, interrupt.signal);
    await expect.poll(listener.bytesReceived, patient).toBeGreaterThan(0);
    interrupt.abort(stopped);
    expect(await attempt).toMatchObject({
      kind: OutcomeKind.INTERRUPTED,
      reason: expect.stringMatching(/^The sender was stopped or paused/),
    });
    await expect.poll(listener.open, patient).toBe(0);
  });
});
