import type { SecureContext } from "node:tls";
import { afterEach, beforeAll, expect, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { refusedHosts } from "#shared/address-guard/refused-hosts-fixture.ts";
import { makeServerCertificate, type ServerCertificate } from "../../../deploy/local/receiver/self-signed.ts";
import { type ConnectProxyFixture, startConnectProxy } from "./connect-proxy-fixture.ts";
import { createDeliver, type DeliverOptions } from "./deliver.ts";
import { DeliveryFailure } from "./delivery-failure.ts";
import { guardAllowing, loopbackGuard } from "./guard-fixture.ts";
import { type ReceiverFixture, startReceiverFixture } from "./receiver-fixture.ts";
import { deliverySecureContext } from "./secure-context.ts";

const patient = { timeout: 10_000, interval: 10 };
let certificate: ServerCertificate;
let secureContext: SecureContext;
const undo: (() => Promise<void>)[] = [];

beforeAll(async () => {
  certificate = await makeServerCertificate({ hostnames: ["receiver.example"] });
  secureContext = deliverySecureContext({ extraAuthoritiesPem: certificate.caPem });
});
afterEach(async () => {
  for (const stop of undo.splice(0).toReversed()) await stop();
});

async function receive(): Promise<ReceiverFixture> {
  const receiver = await startReceiverFixture(certificate, (socket) =>
    socket.end("HTTP/1.1 204 Fine\r\n\r\n"),
  );
  undo.push(() => receiver.stop());
  return receiver;
}

async function startProxy(answer?: (target: string) => string | undefined): Promise<ConnectProxyFixture> {
  const proxy = await startConnectProxy(answer);
  undo.push(() => proxy.stop());
  return proxy;
}

interface Attempted extends Partial<DeliverOptions> {
  readonly url?: string;
  readonly cut?: AbortSignal;
}

function deliverThrough({ port }: { readonly port: number }, attempted: Attempted = {}) {
  const {
    url = "https://receiver.example:8443/",
    cut = new AbortController().signal,
    ...options
  } = attempted;
  const send = createDeliver({
    secureContext,
    guard: loopbackGuard,
    resolveAddresses: async () => ["127.0.0.1"],
    proxy: { host: "127.0.0.1", port },
    lookUpTimeoutMs: 2_000,
    connectTimeoutMs: 5_000,
    tlsTimeoutMs: 2_000,
    sendTimeoutMs: 2_000,
    replyTimeoutMs: 2_000,
    ...options,
  });
  return send({ eventId: "event-1", url, body: Buffer.from("{}"), secret: new Uint8Array() }, cut);
}

test("the proxy is told the address that was judged, the receiver the name", async () => {
  const [receiver, proxy] = [await receive(), await startProxy()];
  const attempt = await deliverThrough(proxy, { url: `https://receiver.example:${receiver.port}/hook` });
  expect(attempt.kind).toBe(OutcomeKind.DELIVERED);
  expect(proxy.requests).toEqual([`CONNECT 127.0.0.1:${receiver.port} HTTP/1.1`]);
  expect(receiver.requests[0]?.head).toContain(`Host: receiver.example:${receiver.port}`);
  await expect.poll(proxy.open, patient).toBe(0);
});

test("the guard decides before the proxy is asked", async () => {
  const proxy = await startProxy();
  const guard = guardAllowing("");
  for (const [host] of refusedHosts) {
    const attempt = await deliverThrough(proxy, { url: `https://${host}:8443/`, guard });
    expect(attempt.kind, host).toBe(OutcomeKind.BLOCKED);
  }
  expect(await deliverThrough(proxy, { guard })).toMatchObject({
    kind: OutcomeKind.BLOCKED,
    reason:
      "The webhook URL leads to a non-public address (loopback); use a host that is reachable from the internet.",
  });
  expect(proxy.requests).toEqual([]);
});

test("IPv6 addresses are told in brackets, the port of https too", async () => {
  const proxy = await startProxy(() => "HTTP/1.1 403 Forbidden\r\n\r\n");
  await deliverThrough(proxy, { url: "https://[::1]/" });
  expect(proxy.requests).toEqual(["CONNECT [::1]:443 HTTP/1.1"]);
});

test("the next address is asked for when the first one gets no tunnel, and the last answer counts", async () => {
  const receiver = await receive();
  const resolveAddresses = async () => ["127.0.0.3", "127.0.0.2", "127.0.0.1"];
  const proxy = await startProxy((target) => {
    if (target.startsWith("127.0.0.3")) return "HTTP/1.1 502 Bad Gateway\r\n\r\n";
    return target.startsWith("127.0.0.2") ? "" : undefined;
  });
  const url = `https://receiver.example:${receiver.port}/`;
  const attempt = await deliverThrough(proxy, { url, resolveAddresses });
  expect(attempt.kind).toBe(OutcomeKind.DELIVERED);
  expect(proxy.requests).toHaveLength(3);
  await expect.poll(proxy.open, patient).toBe(0);
});

test.each([
  [
    "HTTP/1.1 403 Forbidden\r\nX: y\r\n\r\n",
    "The egress proxy did not open a tunnel to the receiver (status 403).",
  ],
  ["HTTP/1.1 407 \r\n\r\n", "The egress proxy did not open a tunnel to the receiver (status 407)."],
  ["SSH-2.0-OpenSSH_9.6\r\n\r\n", "The egress proxy's reply is not HTTP/1.1."],
  ["HTTP/1.1 200 OK\r\n\r\nmore", "The egress proxy's reply is not HTTP/1.1."],
  [`HTTP/1.1 200 OK\r\n${"A: b\r\n".repeat(2_000)}`, "The egress proxy's reply is not HTTP/1.1."],
  ["HTTP/1.1 200 OK\r\n", "The connection could not be made within 0.5 seconds."],
  ["", "The connection could not be made within 0.5 seconds."],
])("what is no tunnel is a failed connection: %j", async (reply, reason) => {
  const proxy = await startProxy(() => reply);
  const attempt = await deliverThrough(proxy, { connectTimeoutMs: 500 });
  expect(attempt).toMatchObject({ kind: OutcomeKind.CONNECTION_FAILED, reason });
  await expect.poll(proxy.open, patient).toBe(0);
});

test("a proxy that is not there is not the receiver's fault", async () => {
  const proxy = await startProxy();
  await proxy.stop();
  expect(await deliverThrough(proxy)).toMatchObject({
    kind: OutcomeKind.CONNECTION_FAILED,
    reason: "The egress proxy could not be reached.",
  });
});

test("an attempt that is cut short while the proxy is asked ends at once", async () => {
  const cut = new AbortController();
  const proxy = await startProxy(() => {
    cut.abort(new DeliveryFailure(OutcomeKind.INTERRUPTED, "Stopped."));
    return "";
  });
  const attempt = await deliverThrough(proxy, { cut: cut.signal, connectTimeoutMs: 20_000 });
  expect(attempt).toMatchObject({ kind: OutcomeKind.INTERRUPTED, reason: "Stopped." });
  await expect.poll(proxy.open, patient).toBe(0);
});
