import { expect, test } from "vitest";
import { generateApiKey } from "#shared/keys/api-key.ts";
import { generateSigningSecret } from "#shared/keys/signing-secret.ts";
import { generateOperatorToken } from "#shared/operators/operator-token.ts";
import { generateLinkSecret, generateSessionToken } from "../../../services/registry/sessions/session-secrets.ts";
import { findLeaks } from "./find-leaks.ts";

const kindsIn = (line: string, known?: readonly string[]) => findLeaks(line, known).map(({ kind }) => kind);
const body = "7Qm2Zx9LkP4vTn8RbW3cYd6FhJ1sGa5E1BYktK";
const cursor = "AQAAAZypRQp7GZNvYGpZX6pl2a72xelrHA";

test.each([
  ["an API key", `{"path":"/v1/${generateApiKey()}"}`, "API key"],
  ["a part of an API key", `"/crk_${body.slice(0, 5)}"`, "API key"],
  ["an API key without its prefix", `{"path":"/v1/${body}/x"}`, "random text"],
  ["a signing secret", `secret: ${generateSigningSecret()}`, "signing secret"],
  ["a secret of Standard Webhooks", "whsec_c2VjcmV0", "signing secret"],
  ["an operator token", `Bearer ${generateOperatorToken()}`, "operator token"],
  ["a session token", `x-session: ${generateSessionToken()}`, "session token"],
  ["a sign-in link", `GET /settings/sign-in/${generateLinkSecret()}`, "sign-in link"],
  ["a cursor", `{"path":"/v1/certificates/${cursor}"}`, "random text"],
  ["a cursor in a query", "GET /v1/certificates?cursor=aaaaaaaaaaaaaaaaaaaaaa", "cursor in a query"],
  ["a cursor in JSON within JSON", '"{\\"next_cursor\\":\\"aaaaaaaaaaaaaaaaaaaaaa\\"}"', "cursor in a query"],
  ["an e-mail address", '{"message":"no owner ada@example.com"}', "e-mail address"],
  ["an encoded e-mail address", "/v1/certificates?email=ada%40example.com", "e-mail address"],
  ["a private key", "-----BEGIN PRIVATE KEY-----", "private key"],
  ["a password in a URL", "cannot connect to nats://registry:hunter2@127.0.0.1:4222", "password in a URL"],
])("finds %s and hides it in the result", (_name, line, kind) => {
  const [leak, ...others] = findLeaks(line);
  expect(others).toEqual([]);
  expect(leak?.kind).toBe(kind);
  expect(leak?.masked).toContain(`[${kind}]`);
  expect(leak?.masked).not.toMatch(/7Qm2Z|c2Vjc|AQAAAZyp|aaaaaaaa|ada|hunter2/);
});

test("finds an installation key that was passed as a known string", () => {
  expect(kindsIn("key: abcdefgh", ["abcdefgh"])).toEqual(["key of the installation"]);
});

test.each([
  '{"level":30,"time":"2026-11-22T11:00:00.000Z","service":"edge","method":"GET","route":"/v1/certificates","requestId":"32faf8bd-c3e4-4923-94f2-5bfe409fe4fc","storeId":"sto_tz3w7afyk7jh6pkxqje68zgx"}',
  "at Object.onReceiveStatus (file:///srv/node_modules/@grpc/grpc-js/build/src/client.js:190:76)",
  "at file:///srv/node_modules/@connectrpc/connect/dist/esm/protocol-grpc/handler-factory.js:1:2",
  '{"subject":"certificates.3.sto_tz3w7afyk7jh6pkxqje68zgx.issued.evt_097m58k1mej4jps160f794rx","secret":"configured"}',
  "REGISTRY_SECRET_KEY_FILES: /run/keys/secret.key has 31 bytes; crk_7Qm2 was revoked by ada@shop",
  "mongodb://127.0.0.1:27353/?directConnection=true",
  "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
])("finds nothing in %s", (line) => {
  expect(findLeaks(line)).toEqual([]);
});
