import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import { serveHttp } from "../../../test/harness/listeners/serve-http.ts";
import { createPlatformVerifier } from "./platform-token.ts";

const now = new Date("2026-11-22T12:00:00Z");
const nowSeconds = now.getTime() / 1_000;
const secret = crypto.getRandomValues(new Uint8Array(32));
const policy = { issuer: "https://{shop}/admin", audience: "app-7" };
const verify = createPlatformVerifier({ ...policy, signature: { kind: "hs256", secret } });

const claims = {
  iss: "https://linden.example/admin",
  dest: "https://linden.example",
  aud: "app-7",
  sub: "42",
  jti: "j-1",
  iat: nowSeconds - 5,
  nbf: nowSeconds - 5,
  exp: nowSeconds + 55,
};

function signed(changes: object = {}, key: Uint8Array = secret): Promise<string> {
  const payload = JSON.parse(JSON.stringify({ ...claims, ...changes }));
  return new SignJWT(payload).setProtectedHeader({ alg: "HS256" }).sign(key);
}

test("returns the store and the user that a token identifies", async () => {
  expect(await verify(await signed(), now)).toEqual({
    shop: "linden.example",
    user: "42",
    id: "j-1",
    issuer: "https://linden.example/admin",
    issuedAt: new Date(nowSeconds * 1_000 - 5_000),
    expiresAt: new Date(now.getTime() + 65_000),
  });
});

test.each([
  ["from another issuer", { iss: "https://other.example/admin" }],
  ["whose issuer is that of another store", { dest: "https://other.example" }],
  ["for another audience", { aud: "app-8" }],
  ["that has expired", { iat: nowSeconds - 90, nbf: nowSeconds - 90, exp: nowSeconds - 30 }],
  ["that is not valid yet", { nbf: nowSeconds + 60 }],
  ["that will be issued in eleven seconds", { iat: nowSeconds + 11, nbf: undefined }],
  ["that is valid for hours", { exp: nowSeconds + 7_200 }],
  ["without an id", { jti: undefined }],
  ["without a user", { sub: undefined }],
  ["without an expiry", { exp: undefined }],
  ["without an issue time", { iat: undefined }],
  ["without a store", { dest: undefined }],
  ["with a store that is not a URL", { dest: "linden.example" }],
])("refuses a token %s", async (_name, changes) => {
  expect(await verify(await signed(changes), now)).toBeUndefined();
});

test("refuses a token with a wrong or missing signature, and text that is not a token", async () => {
  expect(await verify(await signed({}, crypto.getRandomValues(new Uint8Array(32))), now)).toBeUndefined();
  const [, payload] = (await signed()).split(".");
  const header = Buffer.from('{"alg":"none"}').toString("base64url");
  expect(await verify(`${header}.${payload}.`, now)).toBeUndefined();
  for (const text of ["", "x", "a.b.c", "x".repeat(100_000)]) expect(await verify(text, now)).toBeUndefined();
});

describe("a verifier with the platform's public keys", async () => {
  const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true });
  const keys = { keys: [{ ...(await exportJWK(publicKey)), alg: "RS256", kid: "k1" }] };
  const token = new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "k1" }).sign(privateKey);

  async function verifierWith(status: number, body: object = keys) {
    const url = await serveHttp((_request, response) => {
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    });
    const jwksUrl = new URL("/keys", url);
    return createPlatformVerifier({ ...policy, signature: { kind: "rs256", jwksUrl } });
  }

  test("accepts a token that one of the keys verifies, and refuses a token signed with a shared secret", async () => {
    const verifyRs256 = await verifierWith(200);
    expect(await verifyRs256(await token, now)).toMatchObject({ shop: "linden.example" });
    expect(await verifyRs256(await signed(), now)).toBeUndefined();
  });

  test("throws unavailable while the keys cannot be read", async () => {
    const unavailable = { code: "unavailable" };
    await expect((await verifierWith(503))(await token, now)).rejects.toMatchObject(unavailable);
    await expect((await verifierWith(200, { error: "maintenance" }))(await token, now)).rejects.toMatchObject(
      unavailable,
    );
  });
});
