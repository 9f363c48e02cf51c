import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { createSecureContext, TLSSocket } from "node:tls";
import { startTcpServer } from "./tcp-server-fixture.ts";
import { contentTypes, Tls13Records } from "./tls13-records-fixture.ts";

/** Produces the next part of a flood. */
type Flood = (records: Tls13Records) => Buffer;

const { handshake, applicationData } = contentTypes;

// NewSessionTicket (RFC 8446 §4.6.1) with a ticket of one byte.
const ticket = Buffer.of(4, 0, 0, 14, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 7, 0, 0);
// The header of a NewSessionTicket message of 65,535 bytes; each later record contains one more byte of the message.
const longTicket = Buffer.of(4, 0, 0xff, 0xff);

/** TLS 1.3 records that keep the sender's CPU busy but never complete a reply. */
export const floods = {
  keyUpdates: (records) => many(100, () => records.keyUpdate({ isRequested: false })),
  requestedKeyUpdates: (records) => many(100, () => records.keyUpdate({ isRequested: true })),
  sessionTickets: (records) =>
    records.record(
      handshake,
      many(900, () => ticket),
    ),
  fragmentedTicket: (records) =>
    Buffer.concat([
      records.record(handshake, longTicket),
      many(1_000, () => records.record(handshake, Buffer.alloc(1))),
    ]),
  tinyReplyRecords: (records) =>
    Buffer.concat([
      records.record(applicationData, Buffer.from("HTTP/1.1 103 Early Hints\r\nLink: ")),
      many(1_000, () => records.record(applicationData, Buffer.from("x"))),
    ]),
} as const satisfies Readonly<Record<string, Flood>>;

function many(count: number, make: () => Buffer): Buffer {
  return Buffer.concat(Array.from({ length: count }, make));
}

/** The options of {@link startFloodingReceiver}. */
export interface FloodOptions {
  /** When the flood starts. Default `request`: once the first bytes of the request have arrived. */
  readonly after?: "handshake" | "request";
  /** Text sent before the flood. */
  readonly reply?: string;
  /** Length of the flood. Default: 1 MiB. */
  readonly bytes?: number;
}

/** Starts an HTTPS receiver on 127.0.0.1 that floods each connection with TLS records. */
export async function startFloodingReceiver(
  certificate: { readonly certPem: string; readonly keyPem: string },
  flood: Flood,
  { after = "request", reply, bytes = 1 << 20 }: FloodOptions = {},
) {
  const secureContext = createSecureContext({ cert: certificate.certPem, key: certificate.keyPem });
  let floodsBegun = 0;
  const send = (tcp: Socket, records: Tls13Records) => {
    floodsBegun++;
    if (reply !== undefined) tcp.write(records.record(applicationData, Buffer.from(reply)));
    let bytesLeft = bytes;
    // One part per turn of the event loop, because the delivery may run in the same process.
    const sendPart = () => {
      if (tcp.destroyed || bytesLeft <= 0) return;
      const part = flood(records);
      bytesLeft -= part.length;
      tcp.write(part, () => setImmediate(sendPart));
    };
    sendPart();
  };
  const server = await startTcpServer((tcp) => {
    // TLS uses a separate stream, so that the flood can be written directly to the TCP socket.
    const socket = new TLSSocket(Duplex.from({ readable: tcp, writable: tcp }), { isServer: true, secureContext });
    let records: Tls13Records | undefined;
    socket.on("error", () => undefined);
    socket.on("keylog", (line) => {
      const [label, , secret = ""] = line.toString("latin1").trim().split(" ");
      if (label === "SERVER_TRAFFIC_SECRET_0") records = new Tls13Records(Buffer.from(secret, "hex"));
    });
    const start = () => {
      // After 20 ms, Node's server has written its session tickets.
      if (records !== undefined) setTimeout(send, 20, tcp, records);
    };
    if (after === "handshake") socket.once("secure", start);
    socket.once("data", () => {
      if (after === "request") start();
    });
  });
  return { ...server, floodsBegun: () => floodsBegun };
}
