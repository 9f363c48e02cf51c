import { expect, test } from "vitest";
import { reason } from "#shared/reasons/reason.ts";
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
  ["", reason("url_not_https")],
  ["example.com/hook", reason("url_not_https")],
  ["receiver.example.test", reason("url_not_https")],
  ["localhost:8443/hook", reason("url_not_https")],
  ["//example.test/hook", reason("url_not_https")],
  ["https://", reason("url_malformed")],
  ["https://exa mple.test/", reason("url_has_space")],
  [" https://example.test/", reason("url_has_space")],
  ["https://example.test/\n", reason("url_has_space")],
  ["https://exam\tple.test/", reason("url_has_space")],
  ["http://example.test/", reason("url_not_https")],
  ["https:example.test/", reason("url_not_https")],
  ["ftp://example.test/", reason("url_not_https")],
  ["javascript:alert(1)", reason("url_not_https")],
  ["https://example.test:0/hook", reason("url_port_invalid", { port: 0 })],
  ["https://example.test:65536", reason("url_port_invalid", { port: 65_536 })],
  ["https://example.test:port/", reason("url_malformed")],
  ["https://user@example.test/", reason("url_has_credentials")],
  ["https://user:secret@example.test/", reason("url_has_credentials")],
  ["https://:secret@example.test/", reason("url_has_credentials")],
  ["https://example.test/#top", reason("url_has_fragment")],
  ["https://example.test/#", reason("url_has_fragment")],
  [ofLength(2_049), reason("text_too_long", { max: 2_048 })],
])("rejects %j", (url, problem) => {
  expect(httpsUrlProblem(url)).toEqual(problem);
});
