import { describe, expect, test } from "vitest";
import { hasControl, onOneLine, textFault } from "./cell-text.ts";

describe("text on one line", () => {
  test.each([
    ["a\r\nb", "a b"],
    ["a\n\n\tb", "a b"],
    ["\n a  b \n", "  a  b  "],
    ["", ""],
  ])("%j becomes %j", (text, line) => {
    expect(onOneLine(text)).toBe(line);
  });
});

describe("control characters", () => {
  test.each(["\u0000", "a\u000bb", "\u001b[0m", "\u007f", "\u0085"])("are seen in %j", (text) => {
    expect(hasControl(text)).toBe(true);
  });

  test("are not seen in letters of any script", () => {
    expect(hasControl("Zoë O’Neil 李 \u{1f5bc}")).toBe(false);
  });
});

describe("a text", () => {
  test("is unusable when too long or with a control character, each with its own words", () => {
    expect(textFault("a".repeat(255), 255)).toBeNull();
    expect(textFault("a".repeat(256), 255)).toBe("is longer than 255 characters");
    expect(textFault("\u{1f5bc}".repeat(128), 255)).toBe("is longer than 255 characters");
    expect(textFault("a\u0007", 255)).toBe("holds a control character");
  });
});
