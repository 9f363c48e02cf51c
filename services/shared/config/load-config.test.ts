import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ConfigError, commaSeparated, loadConfig, milliseconds, portNumber } from "./load-config.ts";

const schema = z.object({
  URL: z.string().regex(/^https:/, "is not an https URL"),
  PORT: portNumber.default(80),
  WAIT_MS: milliseconds.default(5),
  NAMES: commaSeparated.optional(),
});

const load = (env: Record<string, string | undefined>) => loadConfig(schema, { URL: "https://a", ...env });

describe("a configuration", () => {
  test("takes defaults for what is not set or empty, and ignores what it does not know", () => {
    expect(load({ PORT: "", OTHER: "x" })).toEqual({ URL: "https://a", PORT: 80, WAIT_MS: 5 });
  });

  test("names every variable at fault, and says of which it is missing", () => {
    const broken = () => loadConfig(schema, { PORT: "x", WAIT_MS: "0" });
    expect(broken).toThrow(ConfigError);
    expect(broken).toThrow(/^The configuration cannot be used\. URL is not set; PORT: .*; WAIT_MS: .*$/);
  });

  test("never shows a value: it may be a secret", () => {
    const secret = "hunter2";
    for (const env of [{ URL: secret }, { PORT: secret }, { WAIT_MS: `-${secret}` }])
      expect(() => load(env)).not.toThrow(secret);
    expect(() => load({ URL: secret })).toThrow("URL: is not an https URL");
  });
});

test.each([
  ["0", 0],
  ["65535", 65_535],
])("%s is a port", (text, port) => {
  expect(load({ PORT: text }).PORT).toBe(port);
});

test.each(["-1", "65536", "1.5", "http", "80 81"])("%s is no port", (text) => {
  expect(() => load({ PORT: text })).toThrow("PORT: ");
});

test.each(["0", "-5", "0.5", "86400001", "5s"])("%s is no number of milliseconds", (text) => {
  expect(() => load({ WAIT_MS: text })).toThrow("WAIT_MS: ");
});

test.each([
  ["a", ["a"]],
  ["a,b", ["a", "b"]],
  [" a , b ,", ["a", "b"]],
  [",,", []],
])("the list %j", (text, names) => {
  expect(load({ NAMES: text }).NAMES).toEqual(names);
});
