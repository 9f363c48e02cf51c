import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { describe, expect, onTestFinished, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { refusedHosts } from "#shared/address-guard/refused-hosts-fixture.ts";
import { reason } from "#shared/reasons/reason.ts";
import { makeServerCertificate } from "../../../deploy/local/certificates/self-signed.ts";
import { deliverTrusting, patient, stopAfterTest } from "./deliver-fixture.ts";
import { guardAllowing } from "./guard-fixture.ts";
import { startListener } from "./listener-fixture.ts";
import { startNameServer } from "./name-server-fixture.ts";
import { createAddressResolver } from "./resolve-addresses.ts";

const allowed = "127.0.0.1";
const deliver = deliverTrusting((await makeServerCertificate()).caPem);
const listen = async (host?: string) => stopAfterTest(await startListener(host));

describe("a URL with a refused host", () => {
  test("causes neither a connection nor a DNS query", async () => {
    const listener = await listen();
    const nameServer = stopAfterTest(await startNameServer(() => ["127.0.0.1", "::1"]));
    const options = {
      guard: guardAllowing(""),
      resolveAddresses: createAddressResolver([nameServer.address]),
    };
    for (const [host, words] of refusedHosts) {
      expect(await deliver(`https://${host}:${listener.port}/`, options), host).toMatchObject({
        kind: OutcomeKind.BLOCKED,
        httpStatus: 0,
        reason: `The URL uses ${words}.`,
      });
    }
    expect(listener.acceptedOn).toEqual([]);
    expect(nameServer.questions).toEqual([]);
  });

  test("causes a connection if the guard is disabled and the host is this machine", async () => {
    const listener = await listen();
    const guard = { hostProblem: () => undefined, addressProblem: () => undefined };
    const local = refusedHosts.filter(([, words]) => /\((loopback|localhost)/.test(words));
    for (const [host] of local) await deliver(`https://${host}:${listener.port}/`, { guard, tlsTimeoutMs: 1 });
    expect(listener.acceptedOn.length).toBeGreaterThan(25);
  });
});

test("blocks an invalid port and states the valid range", async () => {
  const attempt = await deliver("https://receiver.example:0/");
  expect(attempt).toMatchObject({
    kind: OutcomeKind.BLOCKED,
    reason: "The URL uses port 0; use a port from 1 to 65535.",
  });
});

test("sends no byte over a socket connected to an address that is not allowed", async () => {
  const listener = await listen(allowed);
  const checked: string[] = [];
  const guard = {
    hostProblem: () => undefined,
    addressProblem: (address: string) => {
      checked.push(address);
      return checked.length === 1 ? undefined : reason("url_resolves_to_non_public_address", { kind: "loopback" });
    },
  };
  const url = `https://receiver.example:${listener.port}/`;
  const attempt = await deliver(url, { guard, resolveAddresses: async () => [allowed] });
  expect(attempt.kind).toBe(OutcomeKind.BLOCKED);
  expect(checked).toEqual([allowed, allowed]);
  await expect.poll(() => listener.acceptedOn, patient).toEqual([allowed]);
  await expect.poll(listener.open, patient).toBe(0);
  expect(listener.bytesReceived()).toBe(0);
});

test("sends no byte over a socket whose peer address is unknown after a reset", async () => {
  const listener = await listen(allowed);
  // Simulates a socket that was reset immediately after the TCP handshake.
  const removePeer = (message: unknown) => {
    const { socket } = message as { socket: object };
    Object.defineProperty(socket, "remoteAddress", { value: undefined });
  };
  subscribe("net.client.socket", removePeer);
  onTestFinished(() => void unsubscribe("net.client.socket", removePeer));
  const attempt = await deliver(`https://${allowed}:${listener.port}/`);
  expect(attempt).toMatchObject({ kind: OutcomeKind.CONNECTION_FAILED, remoteAddress: "" });
  expect(attempt.reason).toMatch(/^The connection broke before the receiver replied \(ECONNRESET\)\./);
  await expect.poll(() => listener.acceptedOn, patient).toEqual([allowed]);
  await expect.poll(listener.open, patient).toBe(0);
  expect(listener.bytesReceived()).toBe(0);
});
