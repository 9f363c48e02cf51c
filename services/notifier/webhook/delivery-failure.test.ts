import { expect, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { timedOut, toDeliveryFailure } from "./delivery-failure.ts";

const errorWith = (code: unknown) =>
  Object.assign(new Error("connect to 10.0.0.7:443, token=hidden"), { code });

test.each([
  ["ENOTFOUND", "The receiver's host name was not found (ENOTFOUND)."],
  ["ECONNREFUSED", "The receiver refused the connection (ECONNREFUSED)."],
  ["ECONNRESET", "The connection broke before the receiver's reply (ECONNRESET)."],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "The receiver's certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)."],
  [
    "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    "The receiver's certificate is not trusted (UNABLE_TO_GET_ISSUER_CERT_LOCALLY).",
  ],
  ["ERR_SSL_WRONG_VERSION_NUMBER", "No TLS connection could be made (ERR_SSL_WRONG_VERSION_NUMBER)."],
  ["EMFILE", "The connection failed (EMFILE)."],
  ["lower case <script>", "The connection failed."],
  [undefined, "The connection failed."],
])("code %s is shown as one sentence", (code, sentence) => {
  const failure = toDeliveryFailure(errorWith(code));
  expect(failure.kind).toBe(OutcomeKind.CONNECTION_FAILED);
  expect(failure.message).toBe(sentence);
});

test("of several addresses' errors the first is shown", () => {
  const errors = [errorWith("ECONNREFUSED"), errorWith("ENETUNREACH")];
  expect(toDeliveryFailure(new AggregateError(errors)).message).toContain("ECONNREFUSED");
});

test("what is a failure already stays as it is", () => {
  const failure = timedOut("Too late.");
  expect(toDeliveryFailure(failure)).toBe(failure);
  expect(failure.kind).toBe(OutcomeKind.TIMEOUT);
});
