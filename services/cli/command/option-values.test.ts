import { InvalidArgumentError } from "commander";
import { expect, test } from "vitest";
import { parseAddress, parseDuration, parseEmail, parseOrder, parsePeerDomain, parseSerial } from "./option-values.ts";

test.each([
  ["0", 0],
  ["0h", 0],
  ["45s", 45],
  ["90m", 5_400],
  ["24h", 86_400],
  ["30d", 2_592_000],
])("parses %s as %i seconds", (text, seconds) => {
  expect(parseDuration(text)).toBe(seconds);
});

test.each(["", "5", "-1h", "1.5h", "1h30m", "1 h", "h", "01h", "1w", "1H", "9999999999d"])(
  "rejects the duration %j",
  (text) => {
    expect(() => parseDuration(text)).toThrow(InvalidArgumentError);
  },
);

test("parses an order name and an order id", () => {
  expect(parseOrder("#1001")).toEqual({ case: "orderName", value: "#1001" });
  expect(parseOrder("450789469")).toEqual({ case: "orderId", value: "450789469" });
});

test.each(["", "127.0.0.1:9090", "[::1]:9090", "registry.example.com:9090"])("accepts the address %j", (text) => {
  expect(parseAddress(text)).toBe(text);
});

test.each(["foo", "http://foo:1", "foo:", "foo:9090/"])("rejects the address %j", (text) => {
  expect(() => parseAddress(text)).toThrow(InvalidArgumentError);
});

test.each(["registry.internal", "a", "xn--bcher-kva.example"])("accepts the domain of certificates %j", (text) => {
  expect(parsePeerDomain(text)).toBe(text);
});

test.each(["", "a b", "Registry.Internal", "a..b", ".a", "a.", "a/b", "bücher.example", "a".repeat(201), "a\n"])(
  "rejects the domain of certificates %j",
  (text) => {
    expect(() => parsePeerDomain(text)).toThrow(InvalidArgumentError);
  },
);

test.each([
  ["an order that is not a number and does not begin with #", () => parseOrder("A1")],
  ["an order name that consists only of #", () => parseOrder("#")],
  ["a serial number with letters", () => parseSerial("1a")],
  ["an incomplete e-mail address", () => parseEmail("ada")],
])("rejects %s", (_value, parse) => {
  expect(parse).toThrow(InvalidArgumentError);
});
