import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { SecretRole, SigningSecretSchema } from "#gen/registry/v1/notifier_service_pb.js";
import { signatureHeaders } from "./message-headers.ts";

// The digests are the output of `printf '{"version":2}' | openssl dgst -sha256 -hmac 'a secret'`, and of the same
// command with 'another secret'.
const body = Buffer.from('{"version":2}');
const secret = Buffer.from("a secret");
const digest = "sha256=6e7650c7263b3119d96534189b0fcd920b73fc96074e24fbc4b9333b2180d7c5";
const otherDigest = "sha256=6e02195afe197ceff4217fdc446d300157523466eb9cd9ef45c681cc345291ef";

const other = (role: SecretRole) => create(SigningSecretSchema, { role, secret: Buffer.from("another secret") });

test.each([
  ["only an active secret", secret, undefined, [["X-Service-Signature", digest]]],
  [
    "a next secret",
    secret,
    SecretRole.NEXT,
    [
      ["X-Service-Signature", digest],
      ["X-Service-Signature-Next", otherDigest],
    ],
  ],
  [
    "a previous secret",
    secret,
    SecretRole.PREVIOUS,
    [
      ["X-Service-Signature", digest],
      ["X-Service-Signature-Previous", otherDigest],
    ],
  ],
  ["a secret with an unknown role", secret, 77 as SecretRole, [["X-Service-Signature", digest]]],
  ["no secret", new Uint8Array(), undefined, []],
])("returns the signature headers of a store with %s", (_name, active, role, headers) => {
  const otherSecret = role === undefined ? undefined : other(role);
  expect(signatureHeaders({ secret: active, otherSecret }, body)).toEqual(headers);
});
