import type { TLSSocket } from "node:tls";

import { expect } from "vitest";
import { makeServerCertificate } from "../../../deploy/local/certificates/self-signed.ts";
import { type DeliveryChange, deliverTrusting, patient, stopAfterTest } from "./deliver-fixture.ts";

import { startReceiverFixture } from "./receiver-fixture.ts";

/** The reaction of a receiver to a message that it has read, such as sending text or closing the connection. */
export type Behaviour = (socket: TLSSocket) => void;

const certificate = await makeServerCertificate();
const deliver = deliverTrusting(certificate.caPem);

/** Delivers one message to a receiver that calls `behave` after it has read the message. */
export async function deliverToHostile(behave: Behaviour, change: DeliveryChange = {}) {
  const receiver = stopAfterTest(await startReceiverFixture(certificate, behave));
  const attempt = await deliver(receiver.port, change);
  expect(receiver.requests).toHaveLength(1);
  await expect.poll(receiver.open, patient).toBe(0);
  return attempt;
}

/** Sends `text` and ends the connection. */
export const sends = (text: string | Buffer) => (socket: TLSSocket) => void socket.end(text);

/** Sends `prefix` once, then `text` repeatedly until the connection closes. */
export const repeats = (text: string | Buffer, everyMs = 0, prefix = "") => {
  return (socket: TLSSocket) => {
    socket.write(prefix);
    const timer = setInterval(() => socket.write(text), everyMs);
    socket.on("close", () => clearInterval(timer));
  };
};

/** Sends `text` byte by byte, then ends the connection. */
export const dribbles = (text: string, everyMs: number) => (socket: TLSSocket) => {
  let sent = 0;
  const timer = setInterval(() => {
    if (sent < text.length) socket.write(text.charAt(sent++), "latin1");
    else socket.end();
  }, everyMs);
  socket.on("close", () => clearInterval(timer));
};
