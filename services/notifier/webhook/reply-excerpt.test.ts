import { expect, test } from "vitest";
import { replyExcerpt } from "./reply-excerpt.ts";

const excerpt = (text: string | Buffer, hidden: readonly string[] = []) =>
  replyExcerpt({ bytes: Buffer.from(text), compression: "" }, () => hidden);

test("a body is shown as the text that it is", () => {
  expect(excerpt('{"error":"Größe unbekannt 盗"}\r\n')).toBe('{"error":"Größe unbekannt 盗"}\n');
  expect(excerpt("")).toBe("");
});

test("nothing of it is obeyed by a terminal, and nothing hides what was written", () => {
  expect(excerpt("\x1b[2J\x1b]0;owned\x07 a\bb\0c\x7f\u009b31m\u202egpj.exe")).toBe(
    "�[2J�]0;owned� a�b�c��31m�gpj.exe",
  );
});

test("what is no UTF-8 is replaced, and a character that was cut in two is left out", () => {
  expect(excerpt(Buffer.from([0x61, 0xff, 0xc0, 0xaf, 0x62]))).toBe("a���b");
  expect(excerpt(Buffer.from("aé").subarray(0, 2))).toBe("a");
});

test("what is compressed is named and not shown", () => {
  const compressed = (compression: string) =>
    replyExcerpt({ bytes: Buffer.from("x"), compression }, () => []);
  expect(compressed("gzip")).toBe("[compressed (gzip), not shown]");
  expect(compressed(`\x1b[31m${"x".repeat(9_000)}`)).toBe(`[compressed (�[31m${"x".repeat(35)}), not shown]`);
});

const secret = "whsec_kT9-aÉ";

test.each([
  ["a secret", `key=${secret};${secret}`, "key=[hidden];[hidden]"],
  ["a part of it where the text was cut off", `key=${secret.slice(0, 9)}`, "key=[hidden]"],
  ["not what any text may end in", "key=whsec", "key=whsec"],
  ["a secret that begins with another one, whole", "0123456789", "[hidden]"],
])("%s is hidden", (_name, text, shown) => {
  expect(excerpt(text, [secret, "01234", "0123456789"])).toBe(shown);
});

test.each([
  ["in a URL", "ab/cd+Wxyz&", "?t=ab%2fcd%2bWxyz%26;"],
  ["in JSON", "ab/cd+Wxyz&", '{"t":"ab\\/cd+Wxyz&"}'],
  ["in HTML", "ab&cd<Wxyz", "<p>ab&amp;cd&lt;Wxyz</p>"],
  ["in a form, cut off", "ab cd/Wxyz&", "t=ab+cd%2FWx"],
])("a secret is hidden as it is written %s", (_name, text, page) => {
  const shown = excerpt(page, [text]);
  expect(shown).toContain("[hidden]");
  expect(shown).not.toMatch(/ab|cd|Wx/);
});

test("the mark is not hidden in its turn", () => {
  expect(excerpt("hidden or not", ["hidden", "hidden", "not"])).toBe("[hidden] or [hidden]");
});

test("a secret is hidden among bytes that are no UTF-8", () => {
  expect(excerpt(Buffer.concat([Buffer.from([0xc3]), Buffer.from(secret)]), [secret])).toBe("�[hidden]");
});
