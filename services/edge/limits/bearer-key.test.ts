import { describe, expect, test } from "vitest";
import { generateApiKey } from "#shared/keys/api-key.ts";
import { generateListenToken } from "#shared/keys/listen-token.ts";
import { generateSigningSecret } from "#shared/keys/signing-secret.ts";
import { serviceErrorOf } from "../testing/service-error-of.ts";
import { bearerKey, listenTokens } from "./bearer-key.ts";

const key = generateApiKey();

describe("bearerKey", () => {
  test.each(["Bearer ", "bearer ", "BEARER ", "bEaReR ", "Bearer   "])("accepts a key after %j", (scheme) => {
    expect(bearerKey([scheme + key])).toBe(key);
  });

  test.each<[string, string[] | undefined]>([
    ["a missing header", undefined],
    ["an empty header", [""]],
    ["a scheme alone", ["Bearer"]],
    ["a scheme and a space", ["Bearer "]],
    ["a key alone", [key]],
    ["another scheme", [`Basic ${key}`]],
    ["two tokens", [`Bearer ${key} ${key}`]],
    ["a list", [`Bearer ${key}, Bearer ${key}`]],
    ["two headers", [`Bearer ${key}`, `Bearer ${key}`]],
    ["a key in quotation marks", [`Bearer "${key}"`]],
    ["a scheme without a space", [`Bearer${key}`]],
    ["a tab instead of a space", [`Bearer\t${key}`]],
    ["a key of another service", ["Bearer sk_live_0123456789"]],
    ["a truncated key", [`Bearer ${key.slice(0, -1)}`]],
    ["a key in upper case", [`Bearer ${key.toUpperCase()}`]],
  ])("rejects %s and states the remedy", (_name, headers) => {
    const { code, message } = serviceErrorOf(() => bearerKey(headers));
    expect(code).toBe("unauthorized");
    expect(message).toContain("Authorization: Bearer <key>");
    expect(message).not.toContain("crk_");
  });

  test.each([
    ["a listen token", generateListenToken(), undefined, "a listen token instead of the API key"],
    ["a signing secret", generateSigningSecret(), undefined, "a webhook's signing secret instead of the API key"],
    ["an API key to listen", key, listenTokens, "an API key instead of the listen token"],
  ])("names %s", (_name, token, kind, message) => {
    expect(serviceErrorOf(() => bearerKey([`Bearer ${token}`], kind)).message).toContain(message);
  });
});
