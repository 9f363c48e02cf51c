import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import { makeServerCertificate } from "../../../../deploy/local/certificates/self-signed.ts";
import { closeGrpc, listenGrpc } from "./listen.ts";

const graceMs = 20_000;

test("closes a connection whose TLS handshake completes only after the shutdown has begun", async () => {
  const { caPem, certPem, keyPem } = await makeServerCertificate();
  const pair = { private_key: Buffer.from(keyPem), cert_chain: Buffer.from(certPem) };
  const server = new Server();
  const port = await listenGrpc(server, "127.0.0.1:0", ServerCredentials.createSsl(null, [pair]));
  const tcp = connect(port, "127.0.0.1");
  await once(tcp, "connect");
  // Connections are accepted in order, so the first one has been accepted once a later one has.
  const accepted = connect(port, "127.0.0.1");
  await once(accepted, "connect");
  accepted.destroy();

  const closed = closeGrpc(server, graceMs);
  const socket = connectTls({ socket: tcp, ca: caPem, servername: "localhost", ALPNProtocols: ["h2"] });
  const session = connectHttp2("https://localhost", { createConnection: () => socket });
  const isInTime = closed.then(() => true);
  const isLate = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), graceMs / 2).unref());
  expect(await Promise.race([isInTime, isLate])).toBe(true);
  session.destroy();
  await closed;
});
