import { expect, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { reason } from "#shared/reasons/reason.ts";
import { reasonText } from "#shared/reasons/reason-text.ts";
import { DeliveryFailure, toDeliveryFailure } from "./delivery-failure.ts";

const errorWith = (code: unknown) => Object.assign(new Error("connect to 10.0.0.7:443, token=hidden"), { code });

const { CONNECTION_FAILED, TLS_FAILED, TIMEOUT } = OutcomeKind;
const otherFailure =
  "The connection to the receiver failed. Check that the webhook URL is reachable from the internet.";

test.each([
  [
    "ENOTFOUND",
    CONNECTION_FAILED,
    "The receiver's host name was not found (ENOTFOUND). Check the webhook URL and the DNS records of the host.",
  ],
  [
    "ECONNREFUSED",
    CONNECTION_FAILED,
    "The receiver refused the connection (ECONNREFUSED). Check that the server is running and that the webhook URL has the correct port.",
  ],
  [
    "ECONNRESET",
    CONNECTION_FAILED,
    "The connection broke before the receiver replied (ECONNRESET). Check the logs of the server for a crash or a restart.",
  ],
  [
    "EMFILE",
    CONNECTION_FAILED,
    "The connection to the receiver failed (EMFILE). Check that the webhook URL is reachable from the internet.",
  ],
  ["lower case <script>", CONNECTION_FAILED, otherFailure],
  [undefined, CONNECTION_FAILED, otherFailure],
  ["constructor", CONNECTION_FAILED, otherFailure],
  [
    "CERT_REVOKED",
    TLS_FAILED,
    "The receiver's certificate is not trusted (CERT_REVOKED). Install a valid certificate from a publicly trusted authority.",
  ],
  [
    "INVALID_CA",
    TLS_FAILED,
    "The receiver's certificate is not trusted (INVALID_CA). Install a valid certificate from a publicly trusted authority.",
  ],
  [
    "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    TLS_FAILED,
    "The receiver's certificate is not trusted (UNABLE_TO_GET_ISSUER_CERT_LOCALLY). Use a publicly trusted authority, and configure the server to send all intermediate certificates.",
  ],
  [
    "SELF_SIGNED_CERT_IN_CHAIN",
    TLS_FAILED,
    "The receiver's certificate was not issued by a publicly trusted authority (SELF_SIGNED_CERT_IN_CHAIN). Install a valid certificate from a publicly trusted authority.",
  ],
  [
    "ERR_SSL_WRONG_VERSION_NUMBER",
    TLS_FAILED,
    "The receiver does not use TLS on this port (ERR_SSL_WRONG_VERSION_NUMBER). Enter the HTTPS port of the server in the webhook URL.",
  ],
  [
    "ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE",
    TLS_FAILED,
    "The TLS handshake failed (ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE). Check the protocol versions, cipher suites and certificate of the server.",
  ],
])("converts the error code %s to outcome %i and a reason with a remedy", (code, kind, text) => {
  const failure = toDeliveryFailure(errorWith(code));
  expect(failure.kind).toBe(kind);
  expect(reasonText(failure.reason, "en")).toBe(text);
});

test("reports an error during the TLS handshake as a TLS failure, whatever the error code", () => {
  const failure = toDeliveryFailure(errorWith("ECONNRESET"), "tls");
  expect(failure.kind).toBe(TLS_FAILED);
  expect(reasonText(failure.reason, "en")).toBe(
    "The connection broke during the TLS handshake (ECONNRESET). Check the TLS configuration and the logs of the server.",
  );
  for (const phase of ["resolve", "connect", "send", "reply"] as const)
    expect(toDeliveryFailure(errorWith("ECONNRESET"), phase).kind).toBe(CONNECTION_FAILED);
});

test("shows the code of the first error if the connections to several addresses failed", () => {
  const errors = [errorWith("ECONNREFUSED"), errorWith("ENETUNREACH")];
  expect(toDeliveryFailure(new AggregateError(errors)).reason.params).toEqual({ error: "ECONNREFUSED" });
});

test("returns a DeliveryFailure unchanged", () => {
  const failure = new DeliveryFailure(TIMEOUT, reason("no_reply_in_time", { seconds: 8 }));
  expect(toDeliveryFailure(failure)).toBe(failure);
});
