import { expect, test } from "vitest";
import { generateSigningSecret, signingSecretPrefixOf } from "./signing-secret.ts";

test("a signing secret consists of crs_ and 52 random lower-case letters and digits", () => {
  const secrets = Array.from({ length: 200 }, generateSigningSecret);
  for (const secret of secrets) expect(secret).toMatch(/^crs_[0-9a-hjkmnp-tv-z]{52}$/);
  expect(new Set(secrets).size).toBe(secrets.length);
  expect(new Set(secrets.join("").replaceAll("crs_", "")).size).toBe(32);
});

test.each([
  [generateSigningSecret(), "crs_"],
  ["whsec_c2VjcmV0", "whsec_"],
  ["a secret without a prefix", ""],
])("the prefix of %s is '%s'", (secret, prefix) => {
  expect(signingSecretPrefixOf(secret)).toBe(prefix);
});
