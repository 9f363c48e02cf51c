import { describe, expect, test } from "vitest";
import { ServiceError } from "#shared/errors/service-error.ts";
import { generateApiKey } from "#shared/keys/api-key.ts";
import { bearerKey } from "./bearer-key.ts";

const key = generateApiKey();

describe("bearerKey", () => {
  test.each(["Bearer", "bearer", "BEARER", "bEaReR"])("accepts the scheme %s", (scheme) => {
    expect(bearerKey([`${scheme} ${key}`])).toBe(key);
  });

  test("accepts several spaces before the key", () => {
    expect(bearerKey([`Bearer   ${key}`])).toBe(key);
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
  ])("rejects %s without a lookup and states the remedy", (_name, headers) => {
    try {
      bearerKey(headers);
    } catch (error) {
      expect(error).toBeInstanceOf(ServiceError);
      expect(error).toMatchObject({ code: "unauthorized" });
      expect((error as ServiceError).message).toContain("Authorization: Bearer <key>");
      expect((error as ServiceError).message).not.toContain("crk_");
      return;
    }
    expect.unreachable();
  });
});
