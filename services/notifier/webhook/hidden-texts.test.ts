import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { SecretRole, SigningSecretSchema } from "#gen/registry/v1/notifier_service_pb.js";
import { hiddenTexts } from "./hidden-texts.ts";
import { type SigningSecrets, signatureHeaders } from "./signature-headers.ts";

const unsigned: SigningSecrets = { secret: new Uint8Array() };
const hidden = (address: string, secrets = unsigned) =>
  hiddenTexts(new URL(address), secrets, signatureHeaders(secrets, Buffer.from("{}")));

test("both signing secrets and the digests that they make are hidden", () => {
  const digest = expect.stringMatching(/^[0-9a-f]{64}$/);
  const url = "https://a.example/hook";
  const secret = Buffer.from("whsec_1");
  const otherSecret = create(SigningSecretSchema, { role: SecretRole.NEXT, secret: Buffer.from("whsec_2") });
  expect(hidden(url, { secret })).toEqual(["whsec_1", digest]);
  expect(hidden(url, { secret, otherSecret })).toEqual(["whsec_1", "whsec_2", digest, digest]);
  expect(hidden(url)).toEqual([]);
});

test.each([
  ["https://a.example/?token=s3cret&v=2", ["s3cret"]],
  ["https://a.example/?s3cret", ["s3cret"]],
  ["https://a.example/?token=a%2Bb%20c", ["a+b c", "a%2Bb%20c"]],
  ["https://a.example/?token==s3cret", ["=s3cret"]],
  ["https://a.example/services/T0000001/x7Gk2mQp9LwZ4bTr", ["x7Gk2mQp9LwZ4bTr"]],
  ["https://a.example/webhooks/certificates", []],
])("of %s the parts that may be secrets are hidden", (address, parts) => {
  expect([...new Set(hidden(address))]).toEqual(parts);
});
