import { expect, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { timedOut, toDeliveryFailure } from "./delivery-failure.ts";

const errorWith = (code: unknown) =>
  Object.assign(new Error("connect to 10.0.0.7:443, token=hidden"), { code });

const { CONNECTION_FAILED, TLS_FAILED, TIMEOUT } = OutcomeKind;

test.each([
  ["ENOTFOUND", CONNECTION_FAILED, "The receiver's host name was not found (ENOTFOUND)."],
  ["ECONNREFUSED", CONNECTION_FAILED, "The receiver refused the connection (ECONNREFUSED)."],
  ["ECONNRESET", CONNECTION_FAILED, "The connection broke before the receiver's reply (ECONNRESET)."],
  ["EMFILE", CONNECTION_FAILED, "The connection failed (EMFILE)."],
  ["lower case <script>", CONNECTION_FAILED, "The connection failed."],
  [undefined, CONNECTION_FAILED, "The connection failed."],
  ["constructor", CONNECTION_FAILED, "The connection failed."],
  ["CERT_REVOKED", TLS_FAILED, "The receiver's certificate is not trusted (CERT_REVOKED)."],
  ["INVALID_CA", TLS_FAILED, "The receiver's certificate is not trusted (INVALID_CA)."],
  [
    "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    TLS_FAILED,
    "The receiver's certificate is not trusted: its authority is not publicly known, or an intermediate certificate is missing (UNABLE_TO_GET_ISSUER_CERT_LOCALLY).",
  ],
  [
    "SELF_SIGNED_CERT_IN_CHAIN",
    TLS_FAILED,
    "The receiver's certificate is not trusted: its authority is not publicly known (SELF_SIGNED_CERT_IN_CHAIN).",
  ],
  [
    "ERR_SSL_WRONG_VERSION_NUMBER",
    TLS_FAILED,
    "The receiver does not speak TLS on this port (ERR_SSL_WRONG_VERSION_NUMBER).",
  ],
  [
    "ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE",
    TLS_FAILED,
    "No TLS connection could be made (ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE).",
  ],
])("code %s is outcome %i in one sentence", (code, kind, sentence) => {
  const failure = toDeliveryFailure(errorWith(code));
  expect(failure.kind).toBe(kind);
  expect(failure.message).toBe(sentence);
});

test("what breaks a TLS handshake is a failure of TLS, whatever its code", () => {
  const failure = toDeliveryFailure(errorWith("ECONNRESET"), "tls");
  expect(failure.kind).toBe(TLS_FAILED);
  expect(failure.message).toBe("The connection broke during the TLS handshake (ECONNRESET).");
  for (const step of ["resolve", "connect", "send", "reply"] as const)
    expect(toDeliveryFailure(errorWith("ECONNRESET"), step).kind).toBe(CONNECTION_FAILED);
});

test("of several addresses' errors the first is shown", () => {
  const errors = [errorWith("ECONNREFUSED"), errorWith("ENETUNREACH")];
  expect(toDeliveryFailure(new AggregateError(errors)).message).toContain("ECONNREFUSED");
});

test("what is a failure already stays as it is", () => {
  const failure = timedOut("Too late.");
  expect(toDeliveryFailure(failure)).toBe(failure);
  expect(failure.kind).toBe(TIMEOUT);
});
