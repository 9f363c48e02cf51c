import { expect, test } from "vitest";
import { reason } from "#shared/reasons/reason.ts";
import { lengthProblem, textProblem } from "./text-rules.ts";

const limits = { min: 2, max: 4 };

test.each([
  ["", reason("text_empty")],
  ["a", reason("text_too_short", { min: 2 })],
  ["abcde", reason("text_too_long", { max: 4 })],
  ["a\u0007b", reason("text_has_control_character")],
  ["ab\ud83d", reason("text_malformed")],
  ["\udd14ab", reason("text_malformed")],
])("reports %j", (text, problem) => {
  expect(textProblem(text, limits)).toEqual(problem);
});

test.each(["ab", "abcd", "🤔🤔"])("accepts %j", (text) => {
  expect(textProblem(text, limits)).toBeUndefined();
});

test("lengthProblem, unlike textProblem, allows line breaks", () => {
  expect(lengthProblem("a\nb", limits)).toBeUndefined();
});
