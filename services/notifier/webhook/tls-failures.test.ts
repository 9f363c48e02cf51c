// Required by @peculiar/x509.
import "reflect-metadata";
import { webcrypto } from "node:crypto";
import type { TLSSocket, TlsOptions } from "node:tls";
import { PemConverter, SubjectAlternativeNameExtension, X509CertificateGenerator } from "@peculiar/x509";
import { expect, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";

import { makeServerCertificate, type ServerCertificate } from "../../../deploy/local/certificates/self-signed.ts";
import { deliverTrusting, expectNoUncaughtException, patient, stopAfterTest } from "./deliver-fixture.ts";

import { startTlsServer, type TlsServerOptions } from "./tls-server-fixture.ts";

const certificate = await makeServerCertificate();
expectNoUncaughtException();

type Served = Pick<ServerCertificate, "certPem" | "keyPem">;

/** Delivers to a server with this certificate, also trusting the given authority. @returns the failure's reason */
async function reasonOf(served: Served, trustedPem: string | undefined, options: TlsServerOptions = {}) {
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
  };
  const onSecure = (socket: TLSSocket) => void socket.on("data", count);
  const server = stopAfterTest(await startTlsServer(served, onSecure, options));
  const attempt = await deliverTrusting(trustedPem)(server.port);
  await expect.poll(server.open, patient).toBe(0);
  expect(bytes, "message bytes received by the server").toBe(0);
  expect(attempt).toMatchObject({ kind: OutcomeKind.TLS_FAILED, httpStatus: 0, remoteAddress: "127.0.0.1" });
  return attempt.reason;
}

test("rejects a certificate from an untrusted authority", async () => {
  expect(await reasonOf(certificate, undefined)).toBe(
    "The receiver's certificate is not trusted (UNABLE_TO_VERIFY_LEAF_SIGNATURE). " +
      "Use a publicly trusted authority, and configure the server to send all intermediate certificates.",
  );
});

test("rejects a self-signed certificate", async () => {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const extensions = [new SubjectAlternativeNameExtension([{ type: "ip", value: "127.0.0.1" }])];
  const made = await X509CertificateGenerator.createSelfSigned({
    keys,
    signingAlgorithm: algorithm,
    extensions,
  });
  const key = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
  const served = { certPem: made.toString("pem"), keyPem: PemConverter.encode(key, "PRIVATE KEY") };
  expect(await reasonOf(served, certificate.caPem)).toBe(
    "The receiver's certificate is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT). " +
      "Install a valid certificate from a publicly trusted authority.",
  );
});

test("rejects an expired certificate", async () => {
  const expired = await makeServerCertificate({ days: -1 });
  expect(await reasonOf(expired, expired.caPem)).toBe(
    "The receiver's certificate has expired (CERT_HAS_EXPIRED). Renew the certificate.",
  );
});

test("rejects a certificate for another host", async () => {
  const other = await makeServerCertificate({ addresses: ["127.0.0.2"] });
  expect(await reasonOf(other, other.caPem)).toBe(
    "The receiver's certificate is not valid for the host of the webhook URL (ERR_TLS_CERT_ALTNAME_INVALID). " +
      "Install a certificate whose subject alternative names include this host.",
  );
});

const old: TlsOptions = { minVersion: "TLSv1", ciphers: "ALL:@SECLEVEL=0" };
const requiresCertificate: TlsOptions = { requestCert: true, rejectUnauthorized: true };
const handshakeFailure =
  "The TLS handshake failed (ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE). " +
  "Check the protocol versions, cipher suites and certificate of the server.";
const oldVersion =
  "The receiver does not support TLS 1.2 or later (ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION). " +
  "Enable TLS 1.2 or TLS 1.3 on the server.";

test.each<[string, TlsOptions, string]>([
  ["at most TLS 1.0", { ...old, maxVersion: "TLSv1" }, oldVersion],
  ["at most TLS 1.1", { ...old, maxVersion: "TLSv1.1" }, oldVersion],
  [
    "only HTTP/2",
    { ALPNProtocols: ["h2"] },
    "The receiver does not support HTTP/1.1 (ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL). Enable HTTP/1.1 on the server.",
  ],
  [
    "a required client certificate in TLS 1.3",
    requiresCertificate,
    "The receiver requires a client certificate, which is not supported (ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED). Verify the signature of the messages instead.",
  ],
  ["a required client certificate in TLS 1.2", { ...requiresCertificate, maxVersion: "TLSv1.2" }, handshakeFailure],
  [
    "no common cipher suite",
    { maxVersion: "TLSv1.2", ciphers: "NULL-SHA256:AES128-SHA256:@SECLEVEL=0" },
    handshakeFailure,
  ],
])("reports a server with %s", async (_name, tls, reason) => {
  expect(await reasonOf(certificate, certificate.caPem, { tls })).toBe(reason);
});

const notTls =
  "The receiver does not use TLS on this port (ERR_SSL_WRONG_VERSION_NUMBER). " +
  "Enter the HTTPS port of the server in the webhook URL.";

test.each([
  ["plain HTTP", Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n"), notTls],
  ["random bytes", Buffer.alloc(3_000, 0x99), notTls],
  [
    "an unrecognized_name alert",
    Buffer.from("15030300020270", "hex"),
    "The receiver does not recognize the host name (ERR_SSL_TLSV1_UNRECOGNIZED_NAME). Configure the server for the host name in the webhook URL.",
  ],
  [
    "a close_notify alert",
    Buffer.from("15030300020100", "hex"),
    "The connection broke during the TLS handshake (ECONNRESET). Check the TLS configuration and the logs of the server.",
  ],
])("reports a server that answers the client hello with %s", async (_name, answer, reason) => {
  const accept: TlsServerOptions["accept"] = (socket) => void socket.once("data", () => socket.end(answer));
  expect(await reasonOf(certificate, certificate.caPem, { accept })).toBe(reason);
});
