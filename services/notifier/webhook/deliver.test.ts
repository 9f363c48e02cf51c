import { createHmac } from "node:crypto";
import type { TLSSocket } from "node:tls";
import { expect, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { reason } from "#shared/reasons/reason.ts";

import { makeServerCertificate } from "../../../deploy/local/certificates/self-signed.ts";
import { type DeliveryChange, deliverTrusting, patient, stopAfterTest } from "./deliver-fixture.ts";

import { DeliveryFailure } from "./delivery-failure.ts";
import { type ReceivedRequest, startReceiverFixture } from "./receiver-fixture.ts";
import { startTlsServer } from "./tls-server-fixture.ts";

const certificate = await makeServerCertificate();
const send = deliverTrusting(certificate.caPem);
const body = Buffer.from('{"version":2,"certificate":{"title":"Él \\u0001"}}');
const secret = Buffer.from("whsec_test");

const startReceiver = async (reply: (socket: TLSSocket, request: ReceivedRequest) => void) =>
  stopAfterTest(await startReceiverFixture(certificate, reply));

const replies = (text: string) => (socket: TLSSocket) => void socket.end(text);

function deliver(target: { readonly port: number } | string, change: DeliveryChange = {}, signal?: AbortSignal) {
  return send(typeof target === "string" ? target : target.port, { body, secret, ...change }, signal);
}

test("sends one POST with exactly the signed bytes", async () => {
  const receiver = await startReceiver(replies("HTTP/1.1 204 No Content\r\n\r\n"));
  const attempt = await deliver(receiver);
  expect(attempt).toEqual({
    kind: OutcomeKind.DELIVERED,
    httpStatus: 204,
    durationMs: expect.any(Number),
    reason: "The receiver replied with status 204.",
    phases: expect.any(Object),
    remoteAddress: "127.0.0.1",
    replyExcerpt: "",
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

test("a reply that arrives while the notifier is paused for longer than the time limit is not too late", async () => {
  const receiver = await startReceiver((socket) => {
    const replyAndPause = () => {
      // Node.js writes to the socket at once, and the reply arrives during the pause. Timers are next.
      socket.write("HTTP/1.1 204 No Content\r\n\r\n");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
    };
    // Once the notifier waits for the reply.
    setTimeout(() => setImmediate(replyAndPause), 100);
  });
  const attempt = await deliver(receiver, { sendTimeoutMs: 2_000, replyTimeoutMs: 2_000 });
  expect(attempt).toMatchObject({ kind: OutcomeKind.DELIVERED, httpStatus: 204 });
});

test("marks a test message, and no other message, with the header X-Service-Test", async () => {
  const receiver = await startReceiver(replies("HTTP/1.1 204 No Content\r\n\r\n"));
  for (const eventId of ["tst_1", "agn_1", "evt_1", "evt_tst_1"]) await deliver(receiver, { eventId });
  const marks = receiver.requests.map(({ head }) => /^X-Service-Test: (.*)$/m.exec(head)?.[1]);
  expect(marks).toEqual(["true", undefined, undefined, undefined]);
});

test("reports the headers and body of a test message that was sent, without the URL, and of no other message", async () => {
  const receiver = await startReceiver(replies("HTTP/1.1 500 Oops\r\n\r\n"));
  const { sentRequest = "" } = await deliver(receiver, { eventId: "tst_1" });
  expect(sentRequest).toContain("X-Service-Delivery: tst_1\nX-Service-Test: true\nX-Service-Signature: sha256=");
  expect(sentRequest.endsWith(`\n\n${body}`)).toBe(true);
  expect(sentRequest).not.toContain("hidden");
  expect(await deliver(receiver, { eventId: "evt_1" })).not.toHaveProperty("sentRequest");
});

test("does not sign the messages of a store without a secret", async () => {
  const receiver = await startReceiver(replies("HTTP/1.1 200 OK\r\n\r\n"));
  await deliver(receiver, { secret: Buffer.alloc(0) });
  expect(receiver.requests[0]?.head).not.toMatch(/signature/i);
});

test("reports the duration of each phase and the receiver's address", async () => {
  const receiver = await startReceiver((socket) => {
    setTimeout(() => socket.end("HTTP/1.1 200 OK\r\n\r\n"), 50);
  });
  const { phases, durationMs, remoteAddress } = await deliver(receiver);
  expect(remoteAddress).toBe("127.0.0.1");
  expect(Object.keys(phases)).toEqual(["resolveMs", "connectMs", "tlsMs", "sendMs", "replyMs"]);
  expect(phases.replyMs).toBeGreaterThanOrEqual(45);
  const sum = Object.values(phases).reduce((total, ms) => total + ms, 0);
  expect(Math.abs(sum - durationMs)).toBeLessThan(100);
});

test("reports the beginning of the reply's body with the secret, signature and URL token redacted", async () => {
  const receiver = await startReceiver((socket, { head, body: sent }) => {
    const text = `${head}\n${sent}\n${secret}`;
    socket.end(`HTTP/1.1 500 Oops\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  });
  const { replyExcerpt } = await deliver(receiver);
  const [requestLine, ...lines] = replyExcerpt.split("\n");
  expect(requestLine).toBe("POST /hook?token=[hidden] HTTP/1.1");
  expect(lines).toContain("X-Service-Signature: sha256=[hidden]");
  expect(lines.slice(-2)).toEqual([body.toString(), "[hidden]"]);
});

test.each(["http://127.0.0.1/", "ftp://127.0.0.1/", "nonsense", ""])(
  "does not connect to %j, which is not an https URL",
  async (url) => {
    const attempt = await deliver(url);
    expect(attempt.kind).toBe(OutcomeKind.CONNECTION_FAILED);
    expect(attempt.reason).toBe("The URL does not begin with https://. Enter an https:// address.");
  },
);

test("reports a host name that has no IP address", async () => {
  const empty = await deliver("https://shop.example/", { resolveAddresses: async () => [] });
  expect(empty.reason).toBe("The receiver's host name has no IP address. Check the DNS records of the host.");
});

test("an interrupted attempt ends immediately with the signal's reason", async () => {
  const interrupt = new AbortController();
  const receiver = await startReceiver(() =>
    interrupt.abort(new DeliveryFailure(OutcomeKind.INTERRUPTED, reason("attempt_interrupted"))),
  );
  const attempt = await deliver(receiver, {}, interrupt.signal);
  expect(attempt).toMatchObject({
    kind: OutcomeKind.INTERRUPTED,
    httpStatus: 0,
    reason: expect.stringMatching(/^The sender was stopped or paused/),
  });
  await expect.poll(receiver.open, patient).toBe(0);
  const late = await deliver(receiver, {}, interrupt.signal);
  expect(late.kind).toBe(OutcomeKind.INTERRUPTED);
  expect(receiver.requests).toHaveLength(1);
});

test("sends no request if the event id is not a valid header value", async () => {
  const receiver = await startReceiver(replies("HTTP/1.1 200 OK\r\n\r\n"));
  const attempt = await deliver(receiver, { eventId: "a\r\nX-Evil: 1" });
  expect(attempt.kind).toBe(OutcomeKind.CONNECTION_FAILED);
  expect(receiver.connections()).toBe(0);
});

test("sends no byte of the message if permission to send has expired by the time the connection is open", async () => {
  const receiver = await startReceiver(replies("HTTP/1.1 200 OK\r\n\r\n"));
  const attempt = await deliver(receiver, { mayBegin: () => false });
  expect(attempt).toMatchObject({ kind: OutcomeKind.INTERRUPTED, httpStatus: 0, remoteAddress: "127.0.0.1" });
  expect(attempt.reason).toMatch(/^The sender was paused .*\.$/);
  expect(Object.keys(attempt.phases)).toEqual(["resolveMs", "connectMs", "tlsMs"]);
  await expect.poll(receiver.open, patient).toBe(0);
  expect(receiver.requests).toEqual([]);
});

test.each(["TLSv1.2", "TLSv1.3"] as const)(
  "sends no byte of the message if permission to send expires before the first byte is written (%s)",
  async (maxVersion) => {
    let bytes = 0;
    const countBytes = (socket: TLSSocket) => void socket.on("data", (chunk) => (bytes += chunk.length));
    const receiver = stopAfterTest(await startTlsServer(certificate, countBytes, { tls: { maxVersion } }));
    let asked = 0;
    const attempt = await deliver(receiver, { mayBegin: () => ++asked === 1, replyTimeoutMs: 500 });
    expect(attempt).toMatchObject({ kind: OutcomeKind.INTERRUPTED, httpStatus: 0 });
    expect(attempt.reason).toMatch(/^The sender was paused .*\.$/);
    await expect.poll(receiver.open, patient).toBe(0);
    expect([asked, bytes]).toEqual([2, 0]);
  },
);
