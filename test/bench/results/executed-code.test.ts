import { expect, test } from "vitest";
import { executedCode } from "./executed-code.ts";

const source = `/** Adds one. */
export function next(value: number): number {
  // The sum.
  return value + 1;
}
`;

test.each([
  ["a comment", source.replace("The sum.", "The next value.")],
  ["a type", source.replace("): number", ")")],
  ["the layout", source.replaceAll("\n  ", "\n    ")],
])("%s does not count as executed code", (_, changed) => {
  expect(changed).not.toBe(source);
  expect(executedCode("next.ts", changed)).toBe(executedCode("next.ts", source));
});

test.each([
  ["a statement", "next.ts", source, source.replace("+ 1", "+ 2")],
  ["a string", "next.ts", 'export const text = "one";', 'export const text = "two";'],
  ["a style sheet", "next.css", "a { color: red }", "a { color: blue }"],
  ["a field", "next.proto", "string name = 1;", "string name = 2;"],
])("%s counts as executed code", (_, path, before, after) => {
  expect(executedCode(path, after)).not.toBe(executedCode(path, before));
});

test.each(["next.test.ts", "next.d.ts", "README.md"])("nothing in %s counts as executed code", (path) => {
  expect(executedCode(path, source)).toBe("");
});

test("a comment in a .proto file does not count as executed code", () => {
  const field = "  string name = 1;\n";
  expect(executedCode("a.proto", `  // The name.\n${field}`)).toBe(executedCode("a.proto", field));
});
