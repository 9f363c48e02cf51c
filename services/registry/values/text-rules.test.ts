import { expect, test } from "vitest";
import { lengthProblem, textProblem } from "./text-rules.ts";

const limits = { min: 2, max: 4 };

test.each([
  ["", "is empty"],
  ["a", "is shorter than 2 characters"],
  ["abcde", "is longer than 4 characters"],
  ["a\u0007b", "contains a control character"],
  ["ab\ud83d", "contains half of a character (an unpaired surrogate)"],
  ["\udd14ab", "contains half of a character (an unpaired surrogate)"],
])("reports that %j %s", (text, problem) => {
  expect(textProblem(text, limits)).toBe(problem);
});

test.each(["ab", "abcd", "🤔🤔"])("accepts %j", (text) => {
  expect(textProblem(text, limits)).toBeUndefined();
});

test("lengthProblem, unlike textProblem, allows line breaks", () => {
  expect(lengthProblem("a\nb", limits)).toBeUndefined();
});
