import { expect, test } from "vitest";
import { replyExcerpt } from "./reply-excerpt.ts";

const excerpt = (text: string | Buffer, secrets: readonly string[] = []) =>
  replyExcerpt({ bytes: Buffer.from(text), compression: "" }, () => secrets);

test("shows text unchanged except for normalized line breaks", () => {
  expect(excerpt('{"error":"Größe unbekannt 盗"}\r\n')).toBe('{"error":"Größe unbekannt 盗"}\n');
  expect(excerpt("")).toBe("");
});

test("replaces control and bidirectional formatting characters", () => {
  expect(excerpt("\x1b[2J\x1b]0;owned\x07 a\bb\0c\x7f\u009b31m\u202egpj.exe")).toBe(
    "�[2J�]0;owned� a�b�c��31m�gpj.exe",
  );
});

test("replaces invalid UTF-8 and omits a truncated last character", () => {
  expect(excerpt(Buffer.from([0x61, 0xff, 0xc0, 0xaf, 0x62]))).toBe("a���b");
  expect(excerpt(Buffer.from("aé").subarray(0, 2))).toBe("a");
});

test("names the compression instead of showing a compressed body", () => {
  const compressed = (compression: string) => replyExcerpt({ bytes: Buffer.from("x"), compression }, () => []);
  expect(compressed("gzip")).toBe("[compressed (gzip), not shown]");
  expect(compressed(`\x1b[31m${"x".repeat(9_000)}`)).toBe(`[compressed (�[31m${"x".repeat(35)}), not shown]`);
});

const secret = "whsec_kT9-aÉ";

test.each([
  ["a secret", `key=${secret};${secret}`, "key=[hidden];[hidden]"],
  ["the prefix of a secret at the end of the text", `key=${secret.slice(0, 9)}`, "key=[hidden]"],
  ["nothing if the text ends with only a short prefix of a secret", "key=whsec", "key=whsec"],
  ["a secret that begins with another secret", "0123456789", "[hidden]"],
])("redacts %s", (_name, text, shown) => {
  expect(excerpt(text, [secret, "01234", "0123456789"])).toBe(shown);
});

test.each([
  ["that is percent-encoded", "ab/cd+Wxyz&", "?t=ab%2fcd%2bWxyz%26;"],
  ["in JSON", "ab/cd+Wxyz&", '{"t":"ab\\/cd+Wxyz&"}'],
  ["in HTML", "ab&cd<Wxyz", "<p>ab&amp;cd&lt;Wxyz</p>"],
  ["that is form-encoded and truncated", "ab cd/Wxyz&", "t=ab+cd%2FWx"],
])("redacts a secret %s", (_name, text, page) => {
  const shown = excerpt(page, [text]);
  expect(shown).toContain("[hidden]");
  expect(shown).not.toMatch(/ab|cd|Wx/);
});

test("does not redact the inserted placeholder [hidden]", () => {
  expect(excerpt("hidden or not", ["hidden", "hidden", "not"])).toBe("[hidden] or [hidden]");
});

test("redacts a secret next to invalid UTF-8", () => {
  expect(excerpt(Buffer.concat([Buffer.from([0xc3]), Buffer.from(secret)]), [secret])).toBe("�[hidden]");
});
