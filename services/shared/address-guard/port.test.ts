import { expect, test } from "vitest";
import { reason } from "../reasons/reason.ts";
import { portProblem } from "./port.ts";

const authorities = "example.com example.com:/ example.com:1/ example.com:65535 example.com:00443?a:0 example.com/a:0/";
const others = "example.com#:0 user:0@example.com/ [2001:db8::0]/ [2001:db8::0]:443/";
test.each(`${authorities} ${others}`.split(" "))("accepts https://%s, whose port is valid or absent", (rest) => {
  expect(portProblem(`https://${rest}`)).toBeUndefined();
});

test.each([
  ["https://example.com:0", 0],
  ["https://example.com:000/", 0],
  ["HTTPS://example.com:65536/hook", 65_536],
  ["https://example.com:99999?a", 99_999],
  ["https://example.com:0#a", 0],
  ["https://example.com:0\\a", 0],
  ["https://user:443@example.com:70000/", 70_000],
  ["https://127.0.0.1:0/", 0],
  ["https://[2001:db8::1]:65536/", 65_536],
])("rejects %s because of the port %i", (url, port) => {
  expect(portProblem(url)).toEqual(reason("url_port_invalid", { port }));
});
