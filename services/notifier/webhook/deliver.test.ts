import { createHmac } from "node:crypto";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import { afterEach, beforeAll, expect, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { makeServerCertificate, type ServerCertificate } from "../../../deploy/local/receiver/self-signed.ts";
import { createDeliver, type DeliverOptions, type Delivery } from "./deliver.ts";
import { DeliveryFailure } from "./delivery-failure.ts";
import { loopbackGuard } from "./guard-fixture.ts";
import { type ReceivedRequest, type ReceiverFixture, startReceiverFixture } from "./receiver-fixture.ts";
import { createAddressResolver } from "./resolve-addresses.ts";
import { deliverySecureContext } from "./secure-context.ts";

let certificate: ServerCertificate;
let options: DeliverOptions;
const receivers: ReceiverFixture[] = [];
const never = new AbortController().signal;
const body = Buffer.from('{"version":2,"certificate":{"title":"Él \\u0001"}}');
const secret = Buffer.from("whsec_test");

beforeAll(async () => {
  certificate = await makeServerCertificate();
  options = {
    secureContext: deliverySecureContext(certificate.caPem),
    guard: loopbackGuard,
    resolveAddresses: createAddressResolver(),
    lookUpTimeoutMs: 2_000,
    connectTimeoutMs: 2_000,
    tlsTimeoutMs: 2_000,
    sendTimeoutMs: 2_000,
    replyTimeoutMs: 2_000,
  };
});
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.stop();
});

type Reply = (socket: TLSSocket, request: ReceivedRequest) => void;

async function receive(reply: Reply, served = certificate): Promise<ReceiverFixture> {
  const receiver = await startReceiverFixture(served, reply);
  receivers.push(receiver);
  return receiver;
}

const addressOf = (server: Server) => server.address() as AddressInfo;
const answer = (text: string) => (socket: TLSSocket) => void socket.end(text);

function deliver(target: { readonly port: number } | string, more: Partial<DeliverOptions & Delivery> = {}) {
  const url = typeof target === "string" ? target : `https://127.0.0.1:${target.port}/hook?token=hidden`;
  const send = createDeliver({ ...options, ...more });
  return send({ eventId: "event-1", url, body, secret, ...more }, never);
}

/** Delivers to a receiver that replies so. */
async function outcomeOf(reply: Reply, more: Partial<DeliverOptions> = {}) {
  const receiver = await receive(reply);
  const attempt = await deliver(receiver, more);
  expect(receiver.requests).toHaveLength(1);
  expect(receiver.connections()).toBe(1);
  return attempt;
}

const patient = { timeout: 10_000, interval: 10 };

test("the receiver gets one POST with the very bytes that were signed", async () => {
  const receiver = await receive(answer("HTTP/1.1 204 No Content\r\n\r\n"));
  const attempt = await deliver(receiver);
  expect(attempt).toEqual({
    kind: OutcomeKind.DELIVERED,
    httpStatus: 204,
    durationMs: expect.any(Number),
    reason: "The receiver answered with status 204.",
  });
  expect(receiver.requests).toHaveLength(1);
  const request = receiver.requests[0];
  expect(request?.body.equals(body)).toBe(true);
  expect(request?.head.split("\r\n")).toEqual([
    "POST /hook?token=hidden HTTP/1.1",
    `Host: 127.0.0.1:${receiver.port}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    "User-Agent: certificate-registry-notifier",
    "X-Service-Delivery: event-1",
    `X-Service-Signature: sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
    "Connection: close",
  ]);
});

test("a message of a store without a secret is not signed", async () => {
  const receiver = await receive(answer("HTTP/1.1 200 OK\r\n\r\n"));
  await deliver(receiver, { secret: Buffer.alloc(0) });
  expect(receiver.requests[0]?.head).not.toMatch(/signature/i);
});

test.each([200, 201, 202, 299])("status %i is delivered", async (status) => {
  const attempt = await outcomeOf(answer(`HTTP/1.1 ${status} Fine\r\nContent-Length: 2\r\n\r\nok`));
  expect(attempt).toMatchObject({ kind: OutcomeKind.DELIVERED, httpStatus: status });
});

test.each([300, 301, 302, 307, 308])("status %i is refused and not followed", async (status) => {
  const receiver = await receive((socket) => {
    socket.end(`HTTP/1.1 ${status} Elsewhere\r\nLocation: https://127.0.0.1:${receiver.port}/x\r\n\r\n`);
  });
  const attempt = await deliver(receiver);
  expect(attempt).toMatchObject({ kind: OutcomeKind.REFUSED, httpStatus: status });
  expect(attempt.reason).toContain("redirects are not followed");
  expect(receiver.requests).toHaveLength(1);
});

test.each([400, 401, 404, 410, 429, 500, 503])("status %i is refused and not sent again", async (status) => {
  const attempt = await outcomeOf(answer(`HTTP/1.0 ${status}\r\nRetry-After: 0\r\n\r\n`));
  expect(attempt).toMatchObject({ kind: OutcomeKind.REFUSED, httpStatus: status });
});

test("a receiver that does not reply in time is a timeout", async () => {
  const attempt = await outcomeOf(() => undefined, { replyTimeoutMs: 150 });
  expect(attempt).toMatchObject({
    kind: OutcomeKind.TIMEOUT,
    httpStatus: 0,
    reason: "The receiver did not reply within 0.15 seconds.",
  });
  expect(attempt.durationMs).toBeGreaterThanOrEqual(149);
});

test("a receiver that does not read the message is a timeout", async () => {
  const server = createTlsServer({ cert: certificate.certPem, key: certificate.keyPem }, (socket) => {
    socket.on("error", () => undefined);
    socket.on("close", () => server.close());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const attempt = await deliver(addressOf(server), { body: Buffer.alloc(64 << 20), sendTimeoutMs: 200 });
  expect(attempt.kind).toBe(OutcomeKind.TIMEOUT);
  expect(attempt.reason).toBe("The receiver did not take the message within 0.2 seconds.");
});

test("a status line that comes byte by byte does not move the time limit", async () => {
  const line = "HTTP/1.1 200 OK";
  const dribble: Reply = (socket) => {
    let sent = 0;
    const timer = setInterval(() => socket.write(line.charAt(sent++ % line.length)), 30);
    socket.on("close", () => clearInterval(timer));
  };
  const attempt = await outcomeOf(dribble, { replyTimeoutMs: 200 });
  expect(attempt.kind).toBe(OutcomeKind.TIMEOUT);
  expect(attempt.durationMs).toBeLessThan(1_000);
});

test("1xx is no reply", async () => {
  const interim = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
  const only: Reply = (socket) => void socket.write(interim);
  expect(await outcomeOf(only, { replyTimeoutMs: 150 })).toMatchObject({ kind: OutcomeKind.TIMEOUT });
  const both = answer(`${interim}HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 202 Accepted\r\n\r\n`);
  expect(await outcomeOf(both)).toMatchObject({ kind: OutcomeKind.DELIVERED, httpStatus: 202 });
});

test("a complete status line counts, however the headers after it are", async () => {
  const late: Reply = (socket) => void socket.write("HTTP/1.1 200 OK\r\nContent-Ty");
  expect(await outcomeOf(late)).toMatchObject({ kind: OutcomeKind.DELIVERED, httpStatus: 200 });
  const malformed = answer("HTTP/1.1 200 OK\r\n\u0000: \u0001\r\n:::\r\n\r\n");
  expect(await outcomeOf(malformed)).toMatchObject({ kind: OutcomeKind.DELIVERED });
  const reset: Reply = (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12", () => receivers.at(-1)?.reset(socket));
  };
  expect(await outcomeOf(reset)).toMatchObject({ kind: OutcomeKind.DELIVERED });
});

test("an endless body is cut off", async () => {
  const receiver = await receive((socket) => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    const more = () => {
      while (socket.write(Buffer.alloc(16_384))) if (socket.destroyed) return;
    };
    socket.on("drain", more);
    more();
  });
  const startedAt = performance.now();
  expect(await deliver(receiver)).toMatchObject({ kind: OutcomeKind.DELIVERED });
  expect(performance.now() - startedAt).toBeLessThan(1_500);
  await expect.poll(() => receiver.open(), patient).toBe(0);
});

test.each([
  ["another protocol", "SSH-2.0-OpenSSH_9.6\r\n"],
  ["HTTP/2", "HTTP/2 200\r\n\r\n"],
  ["a status of two digits", "HTTP/1.1 20 OK\r\n\r\n"],
  ["an endless first line", "HTTP/1.1 200 ".padEnd(20_000, "x")],
])("%s is no reply", async (_name, text) => {
  const attempt = await outcomeOf(answer(text));
  expect(attempt).toMatchObject({
    kind: OutcomeKind.CONNECTION_FAILED,
    httpStatus: 0,
    reason: "The receiver's reply is not HTTP/1.1.",
  });
});

test("a reset in the middle of the reply is a failed connection", async () => {
  const attempt = await outcomeOf((socket) => {
    socket.write("HTTP/1.1 2", () => receivers.at(-1)?.reset(socket));
  });
  expect(attempt).toMatchObject({ kind: OutcomeKind.CONNECTION_FAILED, httpStatus: 0 });
  expect(attempt.reason).toBe("The connection broke before the receiver's reply (ECONNRESET).");
  const closed = await outcomeOf((socket) => void socket.end());
  expect(closed.kind).toBe(OutcomeKind.CONNECTION_FAILED);
  expect(closed.reason).toBe("The receiver closed the connection without a reply.");
});

test("a port where nobody listens is a refused connection", async () => {
  const receiver = await receive(() => undefined);
  await receiver.stop();
  const attempt = await deliver(receiver);
  expect(attempt.kind).toBe(OutcomeKind.CONNECTION_FAILED);
  expect(attempt.reason).toBe("The receiver refused the connection (ECONNREFUSED).");
});

test("a receiver that never speaks TLS is given up after the time for TLS", async () => {
  const server = createTcpServer((socket) => socket.on("error", () => undefined).resume());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const attempt = await deliver(addressOf(server), { tlsTimeoutMs: 150 });
  expect(attempt.kind).toBe(OutcomeKind.CONNECTION_FAILED);
  expect(attempt.reason).toBe("The TLS connection could not be made within 0.15 seconds.");
  await new Promise((resolve) => server.close(resolve));
});

test("an untrusted, expired or foreign certificate gets no byte of the message", async () => {
  const untrusted = await receive(answer("HTTP/1.1 200 OK\r\n\r\n"));
  const attempt = await deliver(untrusted, { secureContext: deliverySecureContext() });
  expect(attempt.kind).toBe(OutcomeKind.CONNECTION_FAILED);
  expect(attempt.reason).toMatch(/^The receiver's certificate is not trusted \([A-Z_]+\)\.$/);
  expect(untrusted.requests).toHaveLength(0);

  for (const [made, reason] of [
    [await makeServerCertificate({ days: -1 }), "The receiver's certificate has expired"],
    [
      await makeServerCertificate({ addresses: ["127.0.0.2"] }),
      "The receiver's certificate is for another host",
    ],
  ] as const) {
    const receiver = await receive(answer("HTTP/1.1 200 OK\r\n\r\n"), made);
    const failed = await deliver(receiver, { secureContext: deliverySecureContext(made.caPem) });
    expect(failed.kind).toBe(OutcomeKind.CONNECTION_FAILED);
    expect(failed.reason).toContain(reason);
    expect(receiver.requests).toHaveLength(0);
  }
});

test("only https is spoken, and what is no URL is an outcome", async () => {
  for (const url of ["http://127.0.0.1/", "ftp://127.0.0.1/", "nonsense", ""]) {
    const attempt = await deliver(url);
    expect(attempt.kind).toBe(OutcomeKind.CONNECTION_FAILED);
    expect(attempt.reason).toBe("The webhook URL does not begin with https://.");
  }
});

test("a host name that is not known is one sentence", async () => {
  const unknown = async () => {
    throw Object.assign(new Error("queryA ENOTFOUND shop.example"), { code: "ENOTFOUND" });
  };
  const attempt = await deliver("https://shop.example/", { resolveAddresses: unknown });
  expect(attempt.reason).toBe("The receiver's host name was not found (ENOTFOUND).");
  const none = await deliver("https://shop.example/", { resolveAddresses: async () => [] });
  expect(none.reason).toBe("The receiver's host name has no address.");
});

test("an attempt that is cut short ends at once with what the cut says", async () => {
  const receiver = await receive(() => cut.abort(new DeliveryFailure(OutcomeKind.INTERRUPTED, "Stopped.")));
  const cut = new AbortController();
  const send = createDeliver(options);
  const url = `https://127.0.0.1:${receiver.port}/`;
  const attempt = await send({ eventId: "event-1", url, body, secret }, cut.signal);
  expect(attempt).toMatchObject({ kind: OutcomeKind.INTERRUPTED, httpStatus: 0, reason: "Stopped." });
  await expect.poll(() => receiver.open(), patient).toBe(0);
  const late = await send({ eventId: "event-2", url, body, secret }, cut.signal);
  expect(late.kind).toBe(OutcomeKind.INTERRUPTED);
  expect(receiver.requests).toHaveLength(1);
});

test("an event id that is no header value is an outcome, not a request", async () => {
  const receiver = await receive(answer("HTTP/1.1 200 OK\r\n\r\n"));
  const attempt = await deliver(receiver, { eventId: "a\r\nX-Evil: 1" });
  expect(attempt.kind).toBe(OutcomeKind.CONNECTION_FAILED);
  expect(receiver.connections()).toBe(0);
});
