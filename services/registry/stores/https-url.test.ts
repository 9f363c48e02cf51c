import { expect, test } from "vitest";
import { httpsUrlProblem } from "./https-url.ts";

const ofLength = (length: number) => `https://a.test/${"x".repeat(length - 15)}`;

test.each([
  "https://receiver.example.test/hook",
  "HTTPS://receiver.example.test",
  "https://receiver.example.test:8443/a/b?c=d&e=%20",
  "https://192.0.2.1/",
  "https://[2001:db8::1]/hook",
  "https://bücher.example.test/größe",
  ofLength(2_048),
])("accepts %s", (url) => {
  expect(httpsUrlProblem(url)).toBeUndefined();
});

test.each([
  ["", "does not begin with https://"],
  ["example.com/hook", "does not begin with https://"],
  ["receiver.example.test", "does not begin with https://"],
  ["localhost:8443/hook", "does not begin with https://"],
  ["//example.test/hook", "does not begin with https://"],
  ["https://", "is not of the form https://host/path"],
  ["https://exa mple.test/", "contains a space or a control character"],
  [" https://example.test/", "contains a space or a control character"],
  ["https://example.test/\n", "contains a space or a control character"],
  ["https://exam\tple.test/", "contains a space or a control character"],
  ["http://example.test/", "does not begin with https://"],
  ["https:example.test/", "does not begin with https://"],
  ["ftp://example.test/", "does not begin with https://"],
  ["javascript:alert(1)", "does not begin with https://"],
  ["https://example.test:0/hook", "uses port 0; use a port from 1 to 65535"],
  ["https://example.test:65536", "uses port 65536; use a port from 1 to 65535"],
  ["https://example.test:port/", "is not of the form https://host/path"],
  ["https://user@example.test/", "contains a user name or password"],
  ["https://user:secret@example.test/", "contains a user name or password"],
  ["https://:secret@example.test/", "contains a user name or password"],
  ["https://example.test/#top", "contains a fragment (#…)"],
  ["https://example.test/#", "contains a fragment (#…)"],
  [ofLength(2_049), "is longer than 2048 characters"],
])("rejects %j: %s", (url, problem) => {
  expect(httpsUrlProblem(url)).toBe(problem);
});
