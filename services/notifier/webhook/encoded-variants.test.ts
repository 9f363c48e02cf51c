import { expect, test } from "vitest";
import { encodedVariants } from "./encoded-variants.ts";

const marks = "%+\\&";

test("letters and digits have one form", () => {
  expect(encodedVariants("x7Gk2mQp9LwZ4bTr_-.", marks)).toEqual(["x7Gk2mQp9LwZ4bTr_-."]);
});

test.each([
  ["as it is", "a/b+c", "a/b+c"],
  ["with the escapes of a URL in capitals", "a%2fb%c3%a9", "a%2Fb%C3%A9"],
  ["with the escapes of a URL in small letters", "a%2Fb%C3%A9", "a%2fb%c3%a9"],
  ["escaped for a URL", "a/b+é", "a%2Fb%2B%C3%A9"],
  ["escaped for a URL in small letters", "a/b+é", "a%2fb%2b%c3%a9"],
  ["escaped for a URL as RFC 3986 has it", "a!'()*", "a%21%27%28%29%2A"],
  ["in a form", "a b/c", "a+b%2Fc"],
  ["in JSON", 'a"b\\c', 'a\\"b\\\\c'],
  ["in JSON with escaped slashes, as PHP writes it", "ab/cd", "ab\\/cd"],
  ["in JSON of ASCII alone, as Python writes it", "a/é", "a/\\u00e9"],
  ["in JSON of ASCII alone, in capitals", "a/é", "a/\\u00E9"],
  ["in JSON of ASCII alone with escaped slashes", "a/é", "a\\/\\u00e9"],
  ["in JSON that is safe in HTML, as Go writes it", "a&b<c>/", "a\\u0026b\\u003cc\\u003e/"],
  ["in HTML", 'a&b<c>"d', "a&amp;b&lt;c&gt;&quot;d"],
  ["in HTML with quotes as numbers", `a"b'c`, "a&#34;b&#39;c"],
  ["in HTML with other numbers", `a"b'c`, "a&quot;b&#x27;c"],
])("a text is found %s", (_name, text, form) => {
  expect(encodedVariants(text, form)).toContain(form);
});

test("a page without escapes has a text as it is", () => {
  expect(encodedVariants(`a/b+"c'&é`, "{}")).toEqual([`a/b+"c'&é`]);
});

test("half of a character is no error", () => {
  expect(encodedVariants("\ud800/", marks)).toContain("\ud800/");
});
