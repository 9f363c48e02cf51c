import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ConfigError } from "./config-error.ts";
import { readEnvironment } from "./read-environment.ts";
import { commaSeparated, listenHost, milliseconds, oneOf, portNumber } from "./variable-types.ts";

const schema = z.object({
  URL: z.string().regex(/^https:/, "must be an https URL"),
  PORT: portNumber.default(80),
  WAIT_MS: milliseconds.default(5),
  NAMES: commaSeparated.optional(),
  HOST: listenHost.optional(),
  MODE: oneOf(["on", "off"]).optional(),
});

const read = (env: Record<string, string | undefined>) => readEnvironment(schema, { URL: "https://a", ...env });

describe("readEnvironment", () => {
  test("uses defaults for unset, empty and blank variables and ignores unknown variables", () => {
    expect(read({ PORT: "", WAIT_MS: " ", OTHER: "x" })).toEqual({
      URL: "https://a",
      PORT: 80,
      WAIT_MS: 5,
      HOST: "0.0.0.0",
    });
  });

  test("names every invalid or missing variable in the error", () => {
    const invalid = () => readEnvironment(schema, { PORT: "x", WAIT_MS: "0" });
    expect(invalid).toThrow(ConfigError);
    expect(invalid).toThrow(
      "The configuration is invalid. URL is not set; PORT must be a whole number from 0 to 65535; WAIT_MS must be a whole number from 1 to 86400000",
    );
  });

  test("never shows a value in the error, because the value may be a secret", () => {
    const secret = "hunter2";
    for (const env of [{ URL: secret }, { PORT: secret }, { WAIT_MS: `-${secret}` }])
      expect(() => read(env)).not.toThrow(secret);
    expect(() => read({ URL: secret })).toThrow("URL must be an https URL");
  });

  test.each([
    ["0", 0],
    ["65535", 65_535],
  ])("accepts the port %s", (text, port) => {
    expect(read({ PORT: text }).PORT).toBe(port);
  });

  test.each(["-1", "65536", "1.5", "http", "80 81"])("rejects the port %s", (text) => {
    expect(() => read({ PORT: text })).toThrow("PORT must");
  });

  test.each(["0", "-5", "0.5", "86400001", "5s"])("rejects the duration %s", (text) => {
    expect(() => read({ WAIT_MS: text })).toThrow("WAIT_MS must");
  });

  test.each(["0.0.0.0", "::", "fe80::1%eth0", "localhost", "my-host.example.test"])("accepts the host %s", (host) => {
    expect(read({ HOST: host }).HOST).toBe(host);
  });

  test.each(["x y", "http://a", "a,b", "[::]"])("rejects the host %s", (host) => {
    expect(() => read({ HOST: host })).toThrow("HOST must be an IP address or a host name");
  });

  test("lists the words of which a variable must be one", () => {
    expect(() => read({ MODE: "maybe" })).toThrow("MODE must be one of on, off");
  });

  test.each([
    ["a", ["a"]],
    ["a,b", ["a", "b"]],
    [" a , b ,", ["a", "b"]],
    [",,", []],
  ])("splits the list %j", (text, names) => {
    expect(read({ NAMES: text }).NAMES).toEqual(names);
  });
});
