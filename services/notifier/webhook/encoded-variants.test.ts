import { expect, test } from "vitest";
import { encodedVariants } from "./encoded-variants.ts";

const marks = "%+\\&";

test("returns only the unchanged string if all its characters are unreserved", () => {
  expect(encodedVariants("x7Gk2mQp9LwZ4bTr_-.", marks)).toEqual(["x7Gk2mQp9LwZ4bTr_-."]);
});

test.each([
  ["unchanged", "a/b+c", "a/b+c"],
  ["with its escapes in upper case", "a%2fb%c3%a9", "a%2Fb%C3%A9"],
  ["with its escapes in lower case", "a%2Fb%C3%A9", "a%2fb%c3%a9"],
  ["percent-encoded", "a/b+é", "a%2Fb%2B%C3%A9"],
  ["percent-encoded with lower-case escapes", "a/b+é", "a%2fb%2b%c3%a9"],
  ["percent-encoded as RFC 3986 specifies", "a!'()*", "a%21%27%28%29%2A"],
  ["form-encoded", "a b/c", "a+b%2Fc"],
  ["as JSON", 'a"b\\c', 'a\\"b\\\\c'],
  ["as JSON with escaped slashes (PHP)", "ab/cd", "ab\\/cd"],
  ["as ASCII JSON (Python)", "a/é", "a/\\u00e9"],
  ["as ASCII JSON with upper-case escapes", "a/é", "a/\\u00E9"],
  ["as ASCII JSON with escaped slashes", "a/é", "a\\/\\u00e9"],
  ["as HTML-safe JSON (Go)", "a&b<c>/", "a\\u0026b\\u003cc\\u003e/"],
  ["as HTML", 'a&b<c>"d', "a&amp;b&lt;c&gt;&quot;d"],
  ["as HTML with decimal references", `a"b'c`, "a&#34;b&#39;c"],
  ["as HTML with hexadecimal references", `a"b'c`, "a&quot;b&#x27;c"],
])("includes a string %s", (_name, text, variant) => {
  expect(encodedVariants(text, variant)).toContain(variant);
});

test("returns only the unchanged string for a page without escape characters", () => {
  expect(encodedVariants(`a/b+"c'&é`, "{}")).toEqual([`a/b+"c'&é`]);
});

test("accepts a lone surrogate", () => {
  expect(encodedVariants("\ud800/", marks)).toContain("\ud800/");
});
