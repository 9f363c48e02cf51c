import { expect, test } from "vitest";
import { isFromOwnPage, isLocalHost } from "./local-request.ts";

test.each([
  ["127.0.0.1:8088", true],
  ["localhost:8088", true],
  ["127.0.0.1:9", false],
  ["rebound.example:8088", false],
  ["127.0.0.1.rebound.example:8088", false],
  [undefined, false],
])("for the host %s, isLocalHost returns %s", (host, isTaken) => {
  expect(isLocalHost(host === undefined ? {} : { host }, 8_088)).toBe(isTaken);
});

const host = "127.0.0.1:8088";
const origin = `http://${host}`;

test.each([
  [{ host, origin }, true],
  [{ host, origin, "sec-fetch-site": "same-origin" }, true],
  [{ host, origin, "sec-fetch-site": "cross-site" }, false],
  [{ host, origin: "http://localhost:8088" }, false],
  [{ host, origin: "null" }, false],
  [{ host }, false],
])("for the headers %j, isFromOwnPage returns %s", (headers, isTaken) => {
  expect(isFromOwnPage(headers)).toBe(isTaken);
});
