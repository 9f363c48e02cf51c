import { once } from "node:events";
import { connect } from "node:tls";
import { expect, test } from "vitest";
import { makeServerCertificate } from "../../../deploy/local/certificates/self-signed.ts";
import { stopAfterTest } from "./deliver-fixture.ts";
import { startReceiverFixture } from "./receiver-fixture.ts";
import { deliverySecureContext } from "./secure-context.ts";
import { sessionWithoutCertificate } from "./session-without-certificate.ts";

const certificate = await makeServerCertificate();
const certificateDer = Buffer.from(certificate.certPem.replace(/-----[^-]+-----/g, ""), "base64");
const secureContext = deliverySecureContext({ extraAuthoritiesPem: certificate.caPem });

/** Sends a request. @returns the receiver's first session, and whether the connection resumed the offered one */
async function connectTo(port: number, offered?: Buffer) {
  const socket = connect({ port, host: "127.0.0.1", secureContext, session: offered });
  const sessions: Buffer[] = [];
  socket.on("session", (session) => sessions.push(session));
  socket.write("POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n");
  await once(socket, "data");
  const connection = { isResumed: socket.isSessionReused(), isAuthorized: socket.authorized };
  socket.destroy();
  return { session: sessions[0] ?? Buffer.alloc(0), connection };
}

test("a session without its certificate is resumed, and its connection is authorized", async () => {
  const receiver = stopAfterTest(
    await startReceiverFixture(certificate, (socket) => void socket.end("HTTP/1.1 204\r\n\r\n")),
  );
  const { session } = await connectTo(receiver.port);
  const stripped = sessionWithoutCertificate(session);
  expect(session.includes(certificateDer)).toBe(true);
  expect(stripped.includes(certificateDer)).toBe(false);
  expect(stripped.length).toBeLessThan(session.length - certificateDer.length);
  expect((await connectTo(receiver.port, stripped)).connection).toEqual({ isResumed: true, isAuthorized: true });
});

test.each([
  ["text", Buffer.from("session")],
  ["nothing", Buffer.alloc(0)],
  ["a sequence that ends before the session does", Buffer.from([0x30, 0x82, 0, 0, 0])],
  ["an element that ends after the session does", Buffer.from([0x30, 0x82, 0, 2, 0xa3, 5])],
  ["an element without a definite length", Buffer.from([0x30, 0x82, 0, 2, 0xa3, 0x80])],
])("leaves %s unchanged", (_name, session) => {
  expect(sessionWithoutCertificate(session)).toBe(session);
});
