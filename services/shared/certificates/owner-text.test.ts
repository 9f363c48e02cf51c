import { expect, test } from "vitest";
import { ownerText } from "./owner-text.ts";

test.each([
  ["Ada Lovelace", "A. L."],
  ["  jean-luc   picard ", "J. L. P."],
  ["Élodie", "É."],
  ["山田 太郎", "山 太"],
  ["🙂 Ada", "A."],
  ["a b c d e f", "A. B. C. D."],
  ["<script>", ""],
  ["", ""],
])("shows the initials of %j as %j", (name, initials) => {
  expect(ownerText(name, "initials")).toBe(initials);
});

test("shows the whole name or nothing, according to the store's setting", () => {
  expect(ownerText("Ada Lovelace", "name")).toBe("Ada Lovelace");
  expect(ownerText("Ada Lovelace", "nothing")).toBe("");
});
