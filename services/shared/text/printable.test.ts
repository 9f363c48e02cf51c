import { expect, test } from "vitest";
import { printable } from "./printable.ts";

test.each([
  ["a plain text stays", "It is torn.", "It is torn."],
  ["line ends and tabs stay", "a\n\tb", "a\n\tb"],
  ["every kind of line end is one", "a\r\nb\rc", "a\nb\nc"],
  ["scripts and emoji stay", "盗難 שלום 👨‍👩‍👧", "盗難 שלום 👨‍👩‍👧"],
  ["escape sequences lose what makes them one", "\u001b[31mred\u009b2J", "�[31mred�2J"],
  ["backspace and delete do not hide what was written", "bad\b\b\bok\u007f", "bad���ok�"],
  ["nothing turns the reading direction", "\u202eexe.txt\u2066", "�exe.txt�"],
])("%s", (_name, text, shown) => {
  expect(printable(text)).toBe(shown);
});
