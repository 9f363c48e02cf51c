import { expect, test } from "vitest";
import { parseApiKey } from "./api-key.ts";
import { generateListenToken, hashListenToken, listenSecretOf, parseListenToken } from "./listen-token.ts";

test("a listen token is accepted by its own parser, and not by that of API keys", () => {
  const token = generateListenToken();
  expect(token).toMatch(/^crl_[0-9A-Za-z]{38}$/);
  expect(parseListenToken(token)).toBe(token);
  expect(parseApiKey(token)).toBeUndefined();
  expect(hashListenToken(token)).toHaveLength(32);
});

test("a token's signing secret has the form of a webhook's, and remains the same in every release", () => {
  expect(listenSecretOf(generateListenToken())).toMatch(/^crs_[0-9a-hjkmnp-tv-z]{52}$/);
  expect(listenSecretOf("crl_one")).toBe("crs_7fh2f5kxtmvr86wt3en8q6k9cf8h9k7kd6nr1msmc7r8pahry2b2");
  expect(listenSecretOf("crl_one")).not.toBe(listenSecretOf("crl_two"));
});
