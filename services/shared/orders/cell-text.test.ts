import { describe, expect, test } from "vitest";
import { hasControl, onOneLine, textFault } from "./cell-text.ts";

describe("onOneLine", () => {
  test.each([
    ["a\r\nb", "a b"],
    ["a\n\n\tb", "a b"],
    ["\n a  b \n", "  a  b  "],
    ["", ""],
  ])("turns %j into %j", (text, line) => {
    expect(onOneLine(text)).toBe(line);
  });
});

describe("hasControl", () => {
  test.each(["\u0000", "a\u000bb", "\u001b[0m", "\u007f", "\u0085"])("finds the control character in %j", (text) => {
    expect(hasControl(text)).toBe(true);
  });

  test("finds no control character in letters of any script", () => {
    expect(hasControl("Zoë O’Neil 李 \u{1f5bc}")).toBe(false);
  });
});

describe("textFault", () => {
  test("reports a string that is too long or contains a control character", () => {
    expect(textFault("a".repeat(255), 255)).toBeNull();
    expect(textFault("a".repeat(256), 255)).toBe("is longer than 255 characters");
    expect(textFault("\u{1f5bc}".repeat(128), 255)).toBe("is longer than 255 characters");
    expect(textFault("a\u0007", 255)).toBe("contains a control character");
  });
});
