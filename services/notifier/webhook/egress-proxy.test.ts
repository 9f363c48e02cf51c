import { expect, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { refusedHosts } from "#shared/address-guard/refused-hosts-fixture.ts";
import { reason } from "#shared/reasons/reason.ts";

import { makeServerCertificate } from "../../../deploy/local/certificates/self-signed.ts";

import { startConnectProxy } from "./connect-proxy-fixture.ts";
import { type DeliveryChange, deliverTrusting, patient, stopAfterTest } from "./deliver-fixture.ts";
import { DeliveryFailure } from "./delivery-failure.ts";
import { guardAllowing } from "./guard-fixture.ts";
import { startReceiverFixture } from "./receiver-fixture.ts";

const certificate = await makeServerCertificate({ hostnames: ["receiver.example"] });
const deliver = deliverTrusting(certificate.caPem);

const startReceiver = async () =>
  stopAfterTest(await startReceiverFixture(certificate, (socket) => socket.end("HTTP/1.1 204 Fine\r\n\r\n")));
const startProxy = async (answer?: (target: string) => string | undefined) =>
  stopAfterTest(await startConnectProxy(answer));

function deliverThrough(
  { port }: { readonly port: number },
  url = "https://receiver.example:8443/",
  change: DeliveryChange = {},
  signal?: AbortSignal,
) {
  const options: DeliveryChange = {
    resolveAddresses: async () => ["127.0.0.1"],
    proxy: { host: "127.0.0.1", port },
    connectTimeoutMs: 5_000,
    ...change,
  };
  return deliver(url, options, signal);
}

test("sends the checked address to the proxy and the host name to the receiver", async () => {
  const [receiver, proxy] = [await startReceiver(), await startProxy()];
  const attempt = await deliverThrough(proxy, `https://receiver.example:${receiver.port}/hook`);
  expect(attempt.kind).toBe(OutcomeKind.DELIVERED);
  expect(proxy.requests).toEqual([`CONNECT 127.0.0.1:${receiver.port} HTTP/1.1`]);
  expect(receiver.requests[0]?.head).toContain(`Host: receiver.example:${receiver.port}`);
  await expect.poll(proxy.open, patient).toBe(0);
});

test("sends no request to the proxy for a host that the address guard blocks", async () => {
  const proxy = await startProxy();
  const guard = guardAllowing("");
  for (const [host] of refusedHosts) {
    const attempt = await deliverThrough(proxy, `https://${host}:8443/`, { guard });
    expect(attempt.kind, host).toBe(OutcomeKind.BLOCKED);
  }
  const blocked = await deliverThrough(proxy, undefined, { guard });
  expect(blocked.kind).toBe(OutcomeKind.BLOCKED);
  expect(blocked.reason).toMatch(/^The webhook URL resolves to a non-public address \(loopback\)/);
  expect(proxy.requests).toEqual([]);
});

test("sends an IPv6 address in brackets to the proxy, with port 443 by default", async () => {
  const proxy = await startProxy(() => "HTTP/1.1 403 Forbidden\r\n\r\n");
  await deliverThrough(proxy, "https://[::1]/");
  expect(proxy.requests).toEqual(["CONNECT [::1]:443 HTTP/1.1"]);
});

test("tries the next address if the proxy cannot reach an address or does not answer", async () => {
  const receiver = await startReceiver();
  const resolveAddresses = async () => ["127.0.0.3", "127.0.0.2", "127.0.0.1"];
  const proxy = await startProxy((target) => {
    if (target.startsWith("127.0.0.3")) return "HTTP/1.1 502 Bad Gateway\r\n\r\n";
    return target.startsWith("127.0.0.2") ? "" : undefined;
  });
  const url = `https://receiver.example:${receiver.port}/`;
  const attempt = await deliverThrough(proxy, url, { resolveAddresses });
  expect(attempt.kind).toBe(OutcomeKind.DELIVERED);
  expect(proxy.requests).toHaveLength(3);
  await expect.poll(proxy.open, patient).toBe(0);
});

const proxyFailure = (problem: string) => `Our egress proxy ${problem}. If the problem persists, contact support.`;
const unreachable = (status: number) => proxyFailure(`could not reach the receiver (status ${status})`);
const notHttp = proxyFailure("sent a reply that is not HTTP/1.1");
const timedOut =
  "Our egress proxy could not reach the receiver within 0.5 seconds. " +
  "Check that the server is reachable from the internet.";

test.each([
  ["status 403", "HTTP/1.1 403 Forbidden\r\nX: y\r\n\r\n", unreachable(403)],
  ["status 407", "HTTP/1.1 407 \r\n\r\n", unreachable(407)],
  ["status 503 with a body", "HTTP/1.1 503 Service Unavailable\r\n\r\n<html>", unreachable(503)],
  ["another protocol", "SSH-2.0-OpenSSH_9.6\r\n\r\n", notHttp],
  ["bytes after the reply", "HTTP/1.1 200 OK\r\n\r\nmore", notHttp],
  ["endless headers", `HTTP/1.1 200 OK\r\n${"A: b\r\n".repeat(2_000)}`, notHttp],
  ["an incomplete reply", "HTTP/1.1 200 OK\r\n", timedOut],
  ["no reply", "", timedOut],
])("reports a failed connection if the proxy sends %s", async (_name, reply, text) => {
  const proxy = await startProxy(() => reply);
  const attempt = await deliverThrough(proxy, undefined, { connectTimeoutMs: 500 });
  expect(attempt).toMatchObject({ kind: OutcomeKind.CONNECTION_FAILED, reason: text });
  await expect.poll(proxy.open, patient).toBe(0);
});

test("reports a failed connection if the proxy is unreachable", async () => {
  const proxy = await startProxy();
  await proxy.stop();
  expect(await deliverThrough(proxy)).toMatchObject({
    kind: OutcomeKind.CONNECTION_FAILED,
    reason: proxyFailure("is unreachable"),
  });
});

test("ends an attempt immediately if it is interrupted while the proxy is connecting", async () => {
  const interrupt = new AbortController();
  const proxy = await startProxy(() => {
    interrupt.abort(new DeliveryFailure(OutcomeKind.INTERRUPTED, reason("attempt_interrupted")));
    return "";
  });
  const attempt = await deliverThrough(proxy, undefined, { connectTimeoutMs: 20_000 }, interrupt.signal);
  expect(attempt).toMatchObject({
    kind: OutcomeKind.INTERRUPTED,
    reason: expect.stringMatching(/^The sender was stopped or paused/),
  });
  await expect.poll(proxy.open, patient).toBe(0);
});
