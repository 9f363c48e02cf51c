import { expect, test } from "vitest";
import { languageProblems } from "./language-problems.ts";

const english = { a: "Save", b: "{count, plural, one {# key} other {# keys}} of {store}" };
const polish = "{count, plural, one {#} few {#} many {#} other {#}} {store}";

test.each([
  ["a missing text", { b: polish }, ["a is missing"]],
  ["an empty text", { a: " ", b: polish }, ["a is missing"]],
  ["a text that English lacks", { a: "x", b: polish, c: "x" }, ["c is not in English"]],
  ["an unbalanced brace", { a: "{x", b: polish }, ["a is not a valid message: EXPECT_ARGUMENT_CLOSING_BRACE"]],
  ["an argument that English lacks", { a: "{x}", b: polish }, ["a has the arguments [x (string)], and English has []"]],
  [
    "an argument with another type of value",
    { a: "x", b: "{count} {store}" },
    ["b has the arguments [count (string), store (string)], and English has [count (number), store (string)]"],
  ],
  [
    "missing plural forms",
    { a: "x", b: "{count, plural, one {#} other {#}} {store}" },
    ["b lacks the plural forms few, many"],
  ],
])("finds %s", (_name, messages, problems) => {
  expect(languageProblems("pl", messages, english)).toEqual(problems);
});

test("accepts a number in place of a plural, and the language's own plural forms", () => {
  expect(languageProblems("pl", { a: "x", b: polish }, english)).toEqual([]);
  expect(languageProblems("ja", { a: "x", b: "{store} {count, number}" }, english)).toEqual([]);
});
