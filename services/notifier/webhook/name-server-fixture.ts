import { createSocket } from "node:dgram";
import ipaddr from "ipaddr.js";

/** What a name server says about a name: addresses of either kind, an error, or nothing at all. */
export type NameAnswer = readonly string[] | "NXDOMAIN" | "SERVFAIL" | "silence";

/** A name server for tests (RFC 1035), over UDP on 127.0.0.1. */
export interface NameServerFixture {
  /** `address:port`. */
  readonly address: string;
  /** The questions in the order they came, as `A receiver.example`. */
  readonly questions: readonly string[];
  stop(): Promise<void>;
}

const types: Readonly<Record<number, "A" | "AAAA">> = { 1: "A", 28: "AAAA" };
const errors: Readonly<Record<string, number>> = { SERVFAIL: 2, NXDOMAIN: 3 };
const headerBytes = 12;

/** Starts one. @param answer is asked once for each question; of its addresses those of the type asked for are sent */
export async function startNameServer(
  answer: (name: string, type: "A" | "AAAA") => NameAnswer,
): Promise<NameServerFixture> {
  const questions: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (query, from) => {
    const { name, type, end } = question(query);
    if (type === undefined) return;
    questions.push(`${type} ${name}`);
    const said = answer(name, type);
    if (said === "silence") return;
    socket.send(reply(query.subarray(0, end), type, said), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    stop: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
}

function question(query: Buffer) {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join("."), type: types[query.readUInt16BE(at + 1)], end: at + 5 };
}

function reply(query: Buffer, type: "A" | "AAAA", said: readonly string[] | "NXDOMAIN" | "SERVFAIL"): Buffer {
  const head = Buffer.from(query);
  const addresses = typeof said === "string" ? [] : said.map((text) => ipaddr.parse(text).toByteArray());
  const records = addresses
    .filter(({ length }) => length === (type === "A" ? 4 : 16))
    // The question's name, type, class IN, 0 seconds to live, length.
    .map((bytes) =>
      Buffer.from([0xc0, headerBytes, 0, type === "A" ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]),
    );
  // A response, recursion desired and available.
  head.writeUInt16BE(0x8180 | (typeof said === "string" ? (errors[said] ?? 0) : 0), 2);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt16BE(0, 10);
  return Buffer.concat([head, ...records]);
}
