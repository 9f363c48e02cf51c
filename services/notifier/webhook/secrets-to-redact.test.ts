import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { SecretRole, SigningSecretSchema } from "#gen/registry/v1/notifier_service_pb.js";
import { type SigningSecrets, signatureHeaders } from "#shared/webhook/message-headers.ts";
import { secretsInReply } from "./deliver.ts";

const unsigned: SigningSecrets = { secret: new Uint8Array() };
const redactedIn = (address: string, secrets = unsigned) =>
  secretsInReply(new URL(address), secrets, signatureHeaders(secrets, Buffer.from("{}")));

test("redacts both signing secrets and the digests in the signatures", () => {
  const digest = expect.stringMatching(/^[0-9a-f]{64}$/);
  const upperCase = expect.stringMatching(/^[0-9A-F]{64}$/);
  const base64 = expect.stringMatching(/^[\w+/]{43}$/);
  const url = "https://a.example/hook";
  const secret = Buffer.from("whsec_1");
  const otherSecret = create(SigningSecretSchema, { role: SecretRole.NEXT, secret: Buffer.from("whsec_2") });
  expect(redactedIn(url, { secret }).slice(0, 4)).toEqual(["whsec_1", digest, upperCase, base64]);
  const both = redactedIn(url, { secret, otherSecret });
  expect(both.slice(0, 3)).toEqual(["whsec_1", "whsec_2", digest]);
  expect(both.filter((text) => /^[0-9a-f]{64}$/.test(text))).toHaveLength(2);
  expect(redactedIn(url)).toEqual([]);
});

test("redacts a digest in both base64 alphabets", () => {
  const signature = ["X-Service-Signature", `sha256=${"fbf0".repeat(16)}`] as const;
  const texts = secretsInReply(new URL("https://a.example/hook"), unsigned, [signature]);
  const bytes = Buffer.alloc(32, "fbf0", "hex");
  expect(texts).toContain(bytes.toString("base64").replace("=", ""));
  expect(texts).toContain(bytes.toString("base64url"));
});

test.each([
  ["https://a.example/?token=s3cret&v=2", ["s3cret"]],
  ["https://a.example/?s3cret", ["s3cret"]],
  ["https://a.example/?token=a%2Bb%20c", ["a+b c", "a%2Bb%20c"]],
  ["https://a.example/hooks/x7Gk2mQp9LwZ4%2bTr%C3%A9", ["x7Gk2mQp9LwZ4%2bTr%C3%A9", "x7Gk2mQp9LwZ4+Tré"]],
  ["https://a.example/?token==s3cret", ["=s3cret"]],
  ["https://a.example/services/T0000001/x7Gk2mQp9LwZ4bTr", ["x7Gk2mQp9LwZ4bTr"]],
  ["https://a.example/hooks/broken%E9-%-x7Gk2mQp9LwZ", ["broken%E9-%-x7Gk2mQp9LwZ"]],
])("redacts the parts of %s that may be secrets", (address, parts) => {
  expect(redactedIn(address)).toEqual(expect.arrayContaining(parts));
});

test.each([
  ["https://a.example/webhooks/certificates"],
  ["https://a.example/caf%C3%A9/%D0%B7?v=2"],
  ["https://a.example/"],
])("redacts nothing in %s", (address) => {
  expect(redactedIn(address)).toEqual([]);
});

test("redacts neither short path segments nor short query values of a webhook URL", () => {
  expect(redactedIn("https://a.example/hook/v2?token=s3cret&v=2")).toEqual(["s3cret"]);
});
