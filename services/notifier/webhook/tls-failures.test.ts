// @peculiar/x509 wants it loaded first.
import "reflect-metadata";
import { webcrypto } from "node:crypto";
import type { TlsOptions } from "node:tls";
import { PemConverter, SubjectAlternativeNameExtension, X509CertificateGenerator } from "@peculiar/x509";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { makeServerCertificate, type ServerCertificate } from "../../../deploy/local/receiver/self-signed.ts";
import { deliverTrusting } from "./deliver-fixture.ts";
import { startTlsServer, type TlsServerFixture, type TlsServerOptions } from "./tls-server-fixture.ts";

let certificate: ServerCertificate;
let server: TlsServerFixture;
const uncaught: unknown[] = [];
const noteUncaught = (error: unknown) => void uncaught.push(error);

beforeAll(async () => {
  process.on("uncaughtExceptionMonitor", noteUncaught);
  certificate = await makeServerCertificate();
});
afterEach(() => server.stop());
afterAll(() => {
  process.off("uncaughtExceptionMonitor", noteUncaught);
  expect(uncaught).toEqual([]);
});

type Served = Pick<ServerCertificate, "certPem" | "keyPem">;

/** Delivers to a server with this certificate, trusting this authority beside the public ones. */
async function attemptAt(served: Served, trustedPem: string | undefined, options: TlsServerOptions = {}) {
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
  };
  server = await startTlsServer(served, (socket) => void socket.on("data", count), options);
  const attempt = await deliverTrusting(trustedPem)(server.port);
  await expect.poll(() => server.open(), { timeout: 10_000, interval: 10 }).toBe(0);
  expect(bytes, "the message is not sent").toBe(0);
  expect(attempt).toMatchObject({ kind: OutcomeKind.TLS_FAILED, httpStatus: 0, remoteAddress: "127.0.0.1" });
  return attempt.reason;
}

test("a certificate of an authority that is not trusted", async () => {
  expect(await attemptAt(certificate, undefined)).toBe(
    "The receiver's certificate is not trusted: its authority is not publicly known, or an intermediate certificate is missing (UNABLE_TO_VERIFY_LEAF_SIGNATURE).",
  );
});

test("a certificate that vouches for itself", async () => {
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
  expect(await attemptAt(served, certificate.caPem)).toBe(
    "The receiver's certificate is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT).",
  );
});

test("a certificate that has expired", async () => {
  const expired = await makeServerCertificate({ days: -1 });
  expect(await attemptAt(expired, expired.caPem)).toBe(
    "The receiver's certificate has expired (CERT_HAS_EXPIRED).",
  );
});

test("a certificate for another host", async () => {
  const other = await makeServerCertificate({ addresses: ["127.0.0.2"] });
  expect(await attemptAt(other, other.caPem)).toBe(
    "The receiver's certificate is for another host name (ERR_TLS_CERT_ALTNAME_INVALID).",
  );
});

const old: TlsOptions = { minVersion: "TLSv1", ciphers: "ALL:@SECLEVEL=0" };
const asksForCertificate: TlsOptions = { requestCert: true, rejectUnauthorized: true };
const handshakeFailure = "No TLS connection could be made (ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE).";
const oldVersion =
  "The receiver speaks no version of TLS from 1.2 on (ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION).";

test.each<[string, TlsOptions, string]>([
  ["TLS 1.0 at the most", { ...old, maxVersion: "TLSv1" }, oldVersion],
  ["TLS 1.1 at the most", { ...old, maxVersion: "TLSv1.1" }, oldVersion],
  [
    "HTTP/2 only",
    { ALPNProtocols: ["h2"] },
    "The receiver does not speak HTTP/1.1 (ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL).",
  ],
  [
    "a client certificate wanted, TLS 1.3",
    asksForCertificate,
    "The receiver asks for a client certificate, and none is sent (ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED).",
  ],
  [
    "a client certificate wanted, TLS 1.2",
    { ...asksForCertificate, maxVersion: "TLSv1.2" },
    handshakeFailure,
  ],
  [
    "no cipher in common",
    { maxVersion: "TLSv1.2", ciphers: "NULL-SHA256:AES128-SHA256:@SECLEVEL=0" },
    handshakeFailure,
  ],
])("%s", async (_name, tls, reason) => {
  expect(await attemptAt(certificate, certificate.caPem, { tls })).toBe(reason);
});

test.each([
  [
    "plain HTTP",
    Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n"),
    "The receiver does not speak TLS on this port (ERR_SSL_WRONG_VERSION_NUMBER).",
  ],
  [
    "noise",
    Buffer.alloc(3_000, 0x99),
    "The receiver does not speak TLS on this port (ERR_SSL_WRONG_VERSION_NUMBER).",
  ],
  [
    "the alert that it does not know the name",
    Buffer.from("15030300020270", "hex"),
    "The receiver does not know the host name (ERR_SSL_TLSV1_UNRECOGNIZED_NAME).",
  ],
  [
    "a farewell",
    Buffer.from("15030300020100", "hex"),
    "The connection broke during the TLS handshake (ECONNRESET).",
  ],
])("%s in the place of a handshake", async (_name, answer, reason) => {
  const accept: TlsServerOptions["accept"] = (socket) => void socket.once("data", () => socket.end(answer));
  expect(await attemptAt(certificate, certificate.caPem, { accept })).toBe(reason);
});
