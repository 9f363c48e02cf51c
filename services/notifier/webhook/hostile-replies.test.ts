import { expect, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { expectNoUncaughtException } from "./deliver-fixture.ts";
import { type Behaviour, deliverToHostile, dribbles, repeats, sends } from "./hostile-receiver-fixture.ts";

const { DELIVERED, REFUSED, REDIRECTED, CONNECTION_FAILED, PROTOCOL_ERROR } = OutcomeKind;

expectNoUncaughtException();

interface Row {
  readonly name: string;
  readonly behave: Behaviour;
  readonly kind: OutcomeKind;
  readonly status?: number;
  readonly reason: string;
  readonly excerpt?: string;
}

const checkUrl = "Check that the webhook URL points to a web server.";
const checkLogs = "Check the logs of the server.";
const notHttp = `The receiver's reply is not HTTP/1.1. ${checkUrl}`;
const invalidStatusLine = `The status line of the receiver's reply is invalid. ${checkUrl}`;
const tooLong = `The receiver sent 16 KiB without a final status. ${checkUrl}`;
const switched = "The receiver switched to another protocol (status 101). Reply with a final status instead.";
const closedEarly = `The receiver closed the connection before its reply was complete. ${checkLogs}`;
const closedWithoutReply = `The receiver closed the connection without a reply. ${checkLogs}`;
const early = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n";
const switching = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n";

const delivered = (name: string, behave: Behaviour, status = 200, excerpt = ""): Row => {
  const reason = `The receiver replied with status ${status}.`;
  return { name, behave, kind: DELIVERED, status, reason, excerpt };
};
const refused = (name: string, text: string, status: number, excerpt = ""): Row => {
  const remedy = "To confirm a message, reply with a status from 200 to 299.";
  const reason = `The receiver replied with status ${status}. ${remedy}`;
  return { name, behave: sends(text), kind: REFUSED, status, reason, excerpt };
};
const invalid = (name: string, text: string | Buffer, reason: string): Row => {
  return { name, behave: sends(text), kind: PROTOCOL_ERROR, reason };
};
const closed = (name: string, text: string, reason: string): Row => {
  return { name, behave: sends(text), kind: CONNECTION_FAILED, reason };
};
const redirected = (status: number): Row => ({
  name: `status ${status}`,
  behave: sends(`HTTP/1.1 ${status} Elsewhere\r\nLocation: https://127.0.0.1/x\r\n\r\n`),
  kind: REDIRECTED,
  status,
  reason:
    `The receiver replied with a redirect (status ${status}). ` +
    "Redirects are not followed: enter the target address as the webhook URL.",
});

const rows: readonly Row[] = [
  delivered("a plain reply", sends("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), 200, "ok"),
  delivered("early hints before the reply", sends(`${early}${early}HTTP/1.1 202 Accepted\r\n\r\n`), 202),
  delivered("a status line without a reason phrase", sends("HTTP/1.1 200\r\n\r\n")),
  delivered("HTTP/1.0", sends("HTTP/1.0 200 OK\r\n\r\nok"), 200, "ok"),
  delivered("bare line feeds", sends("HTTP/1.1 200 OK\nA: b\n\nok"), 200, "ok"),
  delivered("204 with a body", sends("HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nno"), 204),
  delivered("control characters in the reason phrase", sends("HTTP/1.1 200 \0\x1b[2J\r\n\r\n")),
  delivered("a folded header", sends("HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\nok"), 200, "ok"),
  delivered("invalid headers", sends("HTTP/1.1 200 OK\r\n\0: \x01\r\n:::\r\n\r\n")),
  delivered("headers that stop", (socket) => void socket.write("HTTP/1.1 200 OK\r\nContent-Ty")),
  delivered("endless headers", repeats(`A: ${"x".repeat(8_000)}\r\n`, 0, "HTTP/1.1 200 OK\r\n")),
  delivered("an endless body", repeats("x".repeat(16_384), 0, "HTTP/1.1 200 OK\r\n\r\n"), 200, "x".repeat(4_096)),
  delivered("a truncated body", sends("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok"), 200, "ok"),
  delivered(
    "a chunked body",
    sends("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"),
    200,
    "ok",
  ),
  delivered(
    "a compressed body",
    sends("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08"),
    200,
    "[compressed (gzip), not shown]",
  ),
  delivered("escape sequences in the body", sends("HTTP/1.1 200 OK\r\n\r\n\x1b]0;x\x07"), 200, "�]0;x�"),
  delivered("two replies", sends("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 500 No\r\n\r\n")),
  delivered(
    "a reply sent byte by byte",
    dribbles(`${early}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`, 1),
    200,
    "ok",
  ),
  ...[301, 302, 303, 307, 308].map(redirected),
  refused("status 304", "HTTP/1.1 304 Not Modified\r\n\r\n", 304),
  refused("status 401", "HTTP/1.1 401 Unauthorized\r\n\r\nwrong signature", 401, "wrong signature"),
  refused("status 429", "HTTP/1.0 429\r\nRetry-After: 0\r\n\r\n", 429),
  refused("status 500", "HTTP/1.1 500 Oops\r\n\r\n", 500),
  refused("status 600", "HTTP/1.1 600 Odd\r\n\r\n", 600),
  refused("status 999", "HTTP/1.1 999 Odd\r\n\r\n", 999),
  invalid("status 000", "HTTP/1.1 000 OK\r\n\r\n", invalidStatusLine),
  invalid("status 099", "HTTP/1.1 099 OK\r\n\r\n", invalidStatusLine),
  invalid("a status of two digits", "HTTP/1.1 20 OK\r\n\r\n", invalidStatusLine),
  invalid("a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n", invalidStatusLine),
  invalid("another protocol", "SSH-2.0-OpenSSH_9.6\r\n", notHttp),
  invalid("HTTP/0.9", "<html>It works!</html>", notHttp),
  invalid("HTTP/2 in a status line", "HTTP/2 200\r\n\r\n", notHttp),
  invalid("HTTP/2 frames", Buffer.from("000012040000000000000300000080000400010000", "hex"), notHttp),
  invalid("a leading empty line", "\r\nHTTP/1.1 200 OK\r\n\r\n", notHttp),
  invalid("a protocol switch", switching, switched),
  invalid("an endless status line", "HTTP/1.1 200 ".padEnd(20_000, "x"), tooLong),
  invalid("endless interim replies", "HTTP/1.1 100 Continue\r\n\r\n".repeat(1_000), tooLong),
  invalid("endless early hints", `HTTP/1.1 103 Hints\r\n${"A: b\r\n".repeat(4_000)}`, tooLong),
  closed("a closed connection", "", closedWithoutReply),
  closed("a connection closed in the status line", "HTTP/1.1 2", closedEarly),
  closed("a connection closed after an interim reply", "HTTP/1.1 100 Continue\r\n\r\n", closedEarly),
];

test.each(rows)("reports outcome $kind for $name", async ({ behave, kind, status = 0, reason, excerpt = "" }) => {
  const expected = { kind, httpStatus: status, reason, replyExcerpt: excerpt };
  expect(await deliverToHostile(behave)).toMatchObject(expected);
});
