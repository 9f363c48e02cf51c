import { expect, test } from "vitest";
import { type EditionStyle, editionStyles, formatEdition } from "./edition.ts";

test.each<[EditionStyle, number, number, string]>([
  ["number_total", 7, 50, "7/50"],
  ["zero_padded", 7, 50, "07/50"],
  ["zero_padded", 50, 50, "50/50"],
  ["zero_padded", 7, 5, "7/5"],
  ["zero_padded", 7, 1_000, "0007/1000"],
  ["no_of", 7, 50, "No. 7 of 50"],
  ["number", 7, 50, "7 of 50"],
])("style %s formats %i of %i as %s", (style, number, total, formatted) => {
  expect(formatEdition({ number, total }, style)).toBe(formatted);
});

test.each(editionStyles)("style %s shows the number and the size of the edition, in ASCII", (style) => {
  expect(formatEdition({ number: 7, total: 50 }, style)).toMatch(/7[\x20-\x2f\x3a-\x7e]+50$/);
  expect(formatEdition({ number: 7, total: 50 }, style)).toMatch(/^[\x20-\x7e]+$/);
});

test("the style names, which are stored, do not change", () => {
  expect(editionStyles).toEqual(["number_total", "zero_padded", "no_of", "number"]);
});
