import { InvalidArgumentError } from "commander";
import { expect, test } from "vitest";
import { parseDuration } from "./option-values.ts";

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

test.each(["", "5", "-1h", "1.5h", "1h30m", "1 h", "h", "01h", "1w", "1H", "9999999999d"])("rejects %j", (text) => {
  expect(() => parseDuration(text)).toThrow(InvalidArgumentError);
});
