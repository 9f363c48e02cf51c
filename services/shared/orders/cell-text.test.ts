import { describe, expect, test } from "vitest";
import { onOneLine, textFault } from "./cell-text.ts";

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

describe("textFault", () => {
  const tooLong = { code: "cell_too_long", params: { part: "sku", max: "255" } };
  const hasControl = { code: "cell_has_control_character", params: { part: "sku" } };

  test("reports a string that is too long", () => {
    expect(textFault("sku", "a".repeat(255), 255)).toBeNull();
    expect(textFault("sku", "a".repeat(256), 255)).toEqual(tooLong);
    expect(textFault("sku", "\u{1f5bc}".repeat(128), 255)).toEqual(tooLong);
  });

  test.each(["\u0000", "a\u000bb", "a\u0007", "\u001b[0m", "\u007f", "\u0085"])(
    "reports the control character in %j",
    (text) => {
      expect(textFault("sku", text, 255)).toEqual(hasControl);
    },
  );

  test("finds no control character in letters of any script", () => {
    expect(textFault("sku", "Zoë O’Neil 李 \u{1f5bc}", 255)).toBeNull();
  });
});
