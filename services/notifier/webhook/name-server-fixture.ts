import { createSocket } from "node:dgram";
import ipaddr from "ipaddr.js";

/** A name server's answer: addresses of either family, an error, or no reply. */
export type NameAnswer = readonly string[] | "NXDOMAIN" | "SERVFAIL" | "silence";

const types: Readonly<Record<number, "A" | "AAAA">> = { 1: "A", 28: "AAAA" };
const errors: Readonly<Record<string, number>> = { SERVFAIL: 2, NXDOMAIN: 3 };
const headerBytes = 12;

/**
 * Starts a name server (RFC 1035) over UDP on 127.0.0.1.
 *
 * @param answer called for each A or AAAA question; only addresses of the requested type are sent
 */
export async function startNameServer(answer: (name: string, type: "A" | "AAAA") => NameAnswer) {
  /** The questions received, in order, such as `A receiver.example`. */
  const questions: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (query, from) => {
    const { name, type, end } = parseQuestion(query);
    if (type === undefined) return;
    questions.push(`${type} ${name}`);
    const answered = answer(name, type);
    if (answered === "silence") return;
    socket.send(encodeReply(query.subarray(0, end), type, answered), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    stop: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
}

function parseQuestion(query: Buffer) {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join("."), type: types[query.readUInt16BE(at + 1)], end: at + 5 };
}

function encodeReply(query: Buffer, type: "A" | "AAAA", answer: readonly string[] | "NXDOMAIN" | "SERVFAIL"): Buffer {
  const head = Buffer.from(query);
  const addresses = typeof answer === "string" ? [] : answer.map((text) => ipaddr.parse(text).toByteArray());
  const records = addresses
    .filter(({ length }) => length === (type === "A" ? 4 : 16))
    // A pointer to the question's name, the type, class IN, TTL 0, the length.
    .map((bytes) =>
      Buffer.from([0xc0, headerBytes, 0, type === "A" ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]),
    );
  // Flags: response, recursion desired, recursion available.
  head.writeUInt16BE(0x8180 | (typeof answer === "string" ? (errors[answer] ?? 0) : 0), 2);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt16BE(0, 10);
  return Buffer.concat([head, ...records]);
}
