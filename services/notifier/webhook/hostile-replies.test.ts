import type { TLSSocket } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { makeServerCertificate, type ServerCertificate } from "../../../deploy/local/receiver/self-signed.ts";
import { type DeliveryChange, deliverTrusting } from "./deliver-fixture.ts";
import { type ReceiverFixture, startReceiverFixture } from "./receiver-fixture.ts";

const { DELIVERED, REFUSED, REDIRECTED, TIMEOUT, CONNECTION_FAILED, PROTOCOL_ERROR } = OutcomeKind;

let certificate: ServerCertificate;
let send: ReturnType<typeof deliverTrusting>;
let receiver: ReceiverFixture | undefined;
const uncaught: unknown[] = [];
const noteUncaught = (error: unknown) => void uncaught.push(error);

beforeAll(async () => {
  process.on("uncaughtExceptionMonitor", noteUncaught);
  certificate = await makeServerCertificate();
  send = deliverTrusting(certificate.caPem);
});
afterEach(() => receiver?.stop());
afterAll(() => {
  process.off("uncaughtExceptionMonitor", noteUncaught);
  expect(uncaught).toEqual([]);
});

type Behave = (socket: TLSSocket) => void;

/** Delivers to a receiver that takes the message and then does so. */
async function attemptAt(behave: Behave, change: DeliveryChange = {}) {
  receiver = await startReceiverFixture(certificate, behave);
  const attempt = await send(receiver.port, change);
  expect(receiver.requests).toHaveLength(1);
  await expect.poll(() => receiver?.open(), { timeout: 10_000, interval: 10 }).toBe(0);
  return attempt;
}

const says = (text: string | Buffer) => (socket: TLSSocket) => void socket.end(text);

/** Writes a text again and again for as long as the connection lasts. */
const repeats = (text: string | Buffer, everyMs = 0, first = "") => {
  return (socket: TLSSocket) => {
    socket.write(first);
    const timer = setInterval(() => socket.write(text), everyMs);
    socket.on("close", () => clearInterval(timer));
  };
};

/** Writes a text byte by byte. */
const dribbles = (text: string, everyMs: number) => (socket: TLSSocket) => {
  let sent = 0;
  const timer = setInterval(() => {
    if (sent < text.length) socket.write(text.charAt(sent++), "latin1");
    else socket.end();
  }, everyMs);
  socket.on("close", () => clearInterval(timer));
};

interface Row {
  readonly name: string;
  readonly behave: Behave;
  readonly kind: OutcomeKind;
  readonly status?: number;
  readonly reason: string;
  readonly excerpt?: string;
}

const answered = (status: number) => `The receiver answered with status ${status}.`;
const notHttp = "The receiver's reply is not HTTP/1.1.";
const unreadable = "The status line of the receiver's reply cannot be read.";
const tooLong = "The receiver sent 16 KiB without a final status.";
const early = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n";
const switching = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n";

const delivered = (name: string, behave: Behave, status = 200, excerpt = ""): Row => {
  return { name, behave, kind: DELIVERED, status, reason: answered(status), excerpt };
};
const refused = (name: string, text: string, status: number, excerpt = ""): Row => {
  return { name, behave: says(text), kind: REFUSED, status, reason: answered(status), excerpt };
};
const noReply = (name: string, text: string | Buffer, reason: string): Row => {
  return { name, behave: says(text), kind: PROTOCOL_ERROR, reason };
};
const redirected = (status: number): Row => ({
  name: `status ${status}`,
  behave: says(`HTTP/1.1 ${status} Elsewhere\r\nLocation: https://127.0.0.1/x\r\n\r\n`),
  kind: REDIRECTED,
  status,
  reason:
    `The receiver answered with status ${status}: it is at another address. ` +
    "Redirects are not followed; enter that address as the webhook URL.",
});

const rows: readonly Row[] = [
  delivered("a plain reply", says("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), 200, "ok"),
  delivered("early hints before the reply", says(`${early}${early}HTTP/1.1 202 Accepted\r\n\r\n`), 202),
  delivered("a status line without a reason", says("HTTP/1.1 200\r\n\r\n")),
  delivered("HTTP/1.0", says("HTTP/1.0 200 OK\r\n\r\nok"), 200, "ok"),
  delivered("bare line feeds", says("HTTP/1.1 200 OK\nA: b\n\nok"), 200, "ok"),
  delivered("204 with a body", says("HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nno"), 204),
  delivered("a NUL and an escape in the reason", says("HTTP/1.1 200 \0\x1b[2J\r\n\r\n")),
  delivered("a folded header", says("HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\nok"), 200, "ok"),
  delivered("headers that are none", says("HTTP/1.1 200 OK\r\n\0: \x01\r\n:::\r\n\r\n")),
  delivered("headers that never come", (socket) => void socket.write("HTTP/1.1 200 OK\r\nContent-Ty")),
  delivered("headers without an end", repeats(`A: ${"x".repeat(8_000)}\r\n`, 0, "HTTP/1.1 200 OK\r\n")),
  delivered(
    "a body without an end",
    repeats("x".repeat(16_384), 0, "HTTP/1.1 200 OK\r\n\r\n"),
    200,
    "x".repeat(4_096),
  ),
  delivered("a body that ends too early", says("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok"), 200, "ok"),
  delivered(
    "chunks",
    says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"),
    200,
    "ok",
  ),
  delivered(
    "a compressed body",
    says("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08"),
    200,
    "[compressed (gzip), not shown]",
  ),
  delivered("escapes in the body", says("HTTP/1.1 200 OK\r\n\r\n\x1b]0;x\x07"), 200, "�]0;x�"),
  delivered("two replies", says("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 500 No\r\n\r\n")),
  delivered("single bytes", dribbles(`${early}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`, 1), 200, "ok"),
  ...[301, 302, 303, 307, 308].map(redirected),
  refused("status 304", "HTTP/1.1 304 Not Modified\r\n\r\n", 304),
  refused("status 401", "HTTP/1.1 401 Unauthorized\r\n\r\nwrong signature", 401, "wrong signature"),
  refused("status 429", "HTTP/1.0 429\r\nRetry-After: 0\r\n\r\n", 429),
  refused("status 500", "HTTP/1.1 500 Oops\r\n\r\n", 500),
  refused("status 600", "HTTP/1.1 600 Odd\r\n\r\n", 600),
  refused("status 999", "HTTP/1.1 999 Odd\r\n\r\n", 999),
  noReply("status 000", "HTTP/1.1 000 OK\r\n\r\n", unreadable),
  noReply("status 099", "HTTP/1.1 099 OK\r\n\r\n", unreadable),
  noReply("a status of two digits", "HTTP/1.1 20 OK\r\n\r\n", unreadable),
  noReply("a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n", unreadable),
  noReply("another protocol", "SSH-2.0-OpenSSH_9.6\r\n", notHttp),
  noReply("HTTP/0.9", "<html>It works!</html>", notHttp),
  noReply("HTTP/2 in words", "HTTP/2 200\r\n\r\n", notHttp),
  noReply("HTTP/2 in frames", Buffer.from("000012040000000000000300000080000400010000", "hex"), notHttp),
  noReply("an empty line first", "\r\nHTTP/1.1 200 OK\r\n\r\n", notHttp),
  noReply("a change of protocols", switching, "The receiver switched to another protocol (status 101)."),
  noReply("a first line without an end", "HTTP/1.1 200 ".padEnd(20_000, "x"), tooLong),
  noReply("interim replies without an end", "HTTP/1.1 100 Continue\r\n\r\n".repeat(1_000), tooLong),
  noReply("endless early hints", `HTTP/1.1 103 Hints\r\n${"A: b\r\n".repeat(4_000)}`, tooLong),
  {
    name: "a closed connection",
    behave: says(""),
    kind: CONNECTION_FAILED,
    reason: "The receiver closed the connection without a reply.",
  },
  {
    name: "a connection closed in the first line",
    behave: says("HTTP/1.1 2"),
    kind: CONNECTION_FAILED,
    reason: "The receiver closed the connection in the middle of its reply.",
  },
  {
    name: "a connection closed after an interim reply",
    behave: says("HTTP/1.1 100 Continue\r\n\r\n"),
    kind: CONNECTION_FAILED,
    reason: "The receiver closed the connection in the middle of its reply.",
  },
];

test.each(rows)("$name: outcome $kind", async ({ behave, kind, status = 0, reason, excerpt = "" }) => {
  const { httpStatus, replyExcerpt, ...attempt } = await attemptAt(behave);
  expect({ ...attempt, status: httpStatus, excerpt: replyExcerpt }).toMatchObject({
    kind,
    status,
    reason,
    excerpt,
  });
});

describe("the time for the status", () => {
  const limit = { replyTimeoutMs: 200 };

  test.each([
    ["nothing comes", () => undefined, "The receiver did not reply within 0.2 seconds."],
    [
      "the status line comes byte by byte",
      repeats("x", 20, "HTTP/1.1 200 "),
      "The receiver's reply was not complete within 0.2 seconds.",
    ],
    [
      "one interim reply comes after the other",
      repeats("HTTP/1.1 100 Continue\r\n\r\n", 20),
      "The receiver's reply was not complete within 0.2 seconds.",
    ],
    [
      "the headers of an interim reply do not end",
      repeats("A: b\r\n", 20, "HTTP/1.1 103 Early Hints\r\n"),
      "The receiver's reply was not complete within 0.2 seconds.",
    ],
  ])("runs out when %s", async (_name, behave, reason) => {
    const attempt = await attemptAt(behave, limit);
    expect(attempt).toMatchObject({ kind: TIMEOUT, httpStatus: 0, reason });
    expect(attempt.durationMs).toBeLessThan(5_000);
    expect(attempt.phases.replyMs).toBeGreaterThanOrEqual(199);
  });

  test("does not count the body: a slow one is cut off and changes nothing", async () => {
    const startedAt = performance.now();
    const attempt = await attemptAt(
      repeats("x", 100, "HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n"),
      limit,
    );
    expect(attempt).toMatchObject({ kind: DELIVERED, httpStatus: 200 });
    expect(attempt.replyExcerpt).toMatch(/^x+$/);
    // Half a second is for the body.
    expect(performance.now() - startedAt - attempt.durationMs).toBeGreaterThan(450);
  });
});

test("a reply that is complete ends the attempt, though the connection stays open", async () => {
  let shortestMs = Number.POSITIVE_INFINITY;
  // A busy machine may take its time for one of them.
  for (let attempt = 0; attempt < 5; attempt++) {
    const startedAt = performance.now();
    await attemptAt((socket) => void socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
    shortestMs = Math.min(shortestMs, performance.now() - startedAt);
    await receiver?.stop();
  }
  expect(shortestMs).toBeLessThan(450);
});

test("an endless body is not kept in memory", async () => {
  const before = process.memoryUsage();
  let bytes = 0;
  const flood = Buffer.alloc(1 << 20, "x");
  await attemptAt((socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(flood)) bytes += flood.length;
      bytes += flood.length;
    };
    socket.on("drain", more);
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    more();
  });
  expect(bytes).toBeGreaterThan(0);
  const { heapUsed, external } = process.memoryUsage();
  expect(heapUsed + external - before.heapUsed - before.external).toBeLessThan(64 << 20);
});
