import { expect, test } from "vitest";
import { cutTo, fitTable, wrapLine } from "./fit-table.ts";

const columns = [{ title: "ID", isWhole: true }, { title: "OWNER" }, { title: "PRODUCT" }];
const id = "crt_0123456789";
const row = [id, "Ada Lovelace <ada@example.test>", "Poster, blue"];

test("aligns columns without cutting any text if the terminal is wide enough", () => {
  expect(fitTable(columns, [row], 80)).toEqual({
    lines: [
      `ID              OWNER                            PRODUCT`,
      `${id}  Ada Lovelace <ada@example.test>  Poster, blue`,
    ],
    hidden: [],
  });
});

test("cuts the widest column first", () => {
  const { lines } = fitTable(columns, [row], 50);
  expect(lines[1]).toBe(`${id}  Ada Lovelace <ada@e…  Poster, blue`);
  expect(lines.every((line) => line.length <= 50)).toBe(true);
});

test.each([120, 80, 60, 40, 26])(
  "fits a table to a terminal of width %i, and never cuts or hides a column marked isWhole",
  (width) => {
    const { lines, hidden } = fitTable(columns, [row, [id, "界".repeat(40), "e\u0301".repeat(40)]], width);
    for (const line of lines.slice(1)) {
      expect(line).toContain(id);
      // Each 界 takes two columns.
      expect([...line.normalize("NFC")].length + (line.match(/界/g)?.length ?? 0)).toBeLessThanOrEqual(width);
    }
    expect(hidden).toEqual(width < 40 ? ["PRODUCT"] : []);
  },
);

test("lets a line exceed the width only after hiding every column that can be hidden", () => {
  expect(fitTable(columns, [row], 5)).toEqual({ lines: ["ID", id], hidden: ["OWNER", "PRODUCT"] });
});

test("hides a column marked isHiddenFirst before it hides the last column", () => {
  const [first = { title: "" }, ...others] = columns;
  const table = [first, { title: "CREATED", isHiddenFirst: true }, ...others];
  const { hidden } = fitTable(table, [[id, "2026-11-22T10:00:00.000Z", "Ada Lovelace", "Poster, blue"]], 46);
  expect(hidden).toEqual(["CREATED"]);
});

test("cuts text only between graphemes", () => {
  expect(cutTo("e\u0301e\u0301e\u0301", 2)).toBe("e\u0301…");
  expect(cutTo("界界界", 4)).toBe("界…");
  expect(cutTo("abc", 3)).toBe("abc");
});

test("wraps between words and keeps the indentation", () => {
  expect(wrapLine("    one two three", 12)).toEqual(["    one two", "    three"]);
  expect(wrapLine("    abcdefghijkl", 8)).toEqual(["    abcdefghijkl"]);
});
