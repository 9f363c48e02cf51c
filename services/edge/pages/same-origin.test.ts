import { expect, test } from "vitest";
import { isSameOrigin } from "./same-origin.ts";

const host = "settings.example.test";
const origin = `https://${host}`;

test.each([
  ["without headers of a browser", { host }, true],
  ["from the same origin", { host, "sec-fetch-site": "same-origin", origin: "null" }, true],
  ["from the same site", { host, "sec-fetch-site": "same-site", origin }, false],
  ["from another site", { host, "sec-fetch-site": "cross-site", origin }, false],
  ["from an address that the user entered", { host, "sec-fetch-site": "none" }, false],
  ["of an older browser from the same origin", { host, origin }, true],
  ["of an older browser from the same origin, with the default port", { host: `${host}:443`, origin }, true],
  [
    "of an older browser from the same origin, behind a proxy",
    { host: "edge:8080", "x-forwarded-host": host, origin },
    true,
  ],
  ["of an older browser from another site", { host, origin: "https://attacker.example.test" }, false],
  ["of an older browser from another port", { host, origin: `${origin}:8443` }, false],
  ["of an older browser from a longer name", { host, origin: `${origin}.attacker.example` }, false],
  ["of an older browser from a sandboxed frame", { host, origin: "null" }, false],
  ["of an older browser from a file", { host, origin: "file://" }, false],
  ["without a host", { origin }, false],
])("a request %s", (_name, headers, expected) => {
  expect(isSameOrigin(headers)).toBe(expected);
});
