import { expect, test } from "vitest";
import { printable } from "./printable.ts";

test.each([
  ["keeps plain text", "It is torn.", "It is torn."],
  ["keeps line breaks and tabs", "a\n\tb", "a\n\tb"],
  ["normalizes line breaks", "a\r\nb\rc", "a\nb\nc"],
  ["keeps non-Latin scripts and emoji", "盗難 שלום 👨‍👩‍👧", "盗難 שלום 👨‍👩‍👧"],
  ["replaces the escape characters of control sequences", "\u001b[31mred\u009b2J", "�[31mred�2J"],
  ["replaces backspace and delete", "bad\b\b\bok\u007f", "bad���ok�"],
  ["replaces characters that change the text direction", "\u202eexe.txt\u2066", "�exe.txt�"],
])("%s", (_name, text, expected) => {
  expect(printable(text)).toBe(expected);
});
