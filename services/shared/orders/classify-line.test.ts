import { describe, expect, test } from "vitest";
import { reasonText } from "../reasons/reason-text.ts";
import { classifyLine, type LineCells, splitLineitemName } from "./classify-line.ts";

const line: LineCells = { quantity: "2", name: "Harbour Print - A3", sku: "HP-A3" };

describe("classifyLine", () => {
  test("returns the title, variant, SKU and quantity", () => {
    const sold = { kind: "sold", title: "Harbour Print", variant: "A3", sku: "HP-A3", quantity: 2 };
    expect(classifyLine(line)).toEqual(sold);
    expect(classifyLine({ ...line, name: " Harbour\r\nPrint -\nA3\n" })).toEqual(sold);
    expect(classifyLine({ ...line, sku: "" })).toEqual({ ...sold, sku: "" });
    expect(classifyLine({ ...line, name: "Mug" })).toEqual({ ...sold, title: "Mug", variant: "" });
    expect(classifyLine({ ...line, quantity: "10000" })).toEqual({ ...sold, quantity: 10_000 });
  });

  test("accepts a title, variant and SKU of 255 characters each", () => {
    const long = "a".repeat(255);
    expect(classifyLine({ ...line, name: `${long} - ${long}`, sku: long }).kind).toBe("sold");
  });

  test.each<[Partial<LineCells>, string, string]>([
    [{ quantity: "" }, "Lineitem quantity", "whole number"],
    [{ quantity: "0" }, "Lineitem quantity", "whole number"],
    [{ quantity: "-1" }, "Lineitem quantity", "whole number"],
    [{ quantity: "1.5" }, "Lineitem quantity", "whole number"],
    [{ quantity: "1e3" }, "Lineitem quantity", "whole number"],
    [{ quantity: "10001" }, "Lineitem quantity", "10,000"],
    [{ quantity: "9".repeat(400) }, "Lineitem quantity", "10,000"],
    [{ name: "" }, "Lineitem name", "no title"],
    [{ name: " - Blue" }, "Lineitem name", "no title"],
    [{ name: "a".repeat(256) }, "Lineitem name", "title is longer"],
    [{ name: `Mug - ${"a".repeat(256)}` }, "Lineitem name", "variant is longer"],
    [{ name: "M\u0000g" }, "Lineitem name", "title contains a control"],
    [{ name: "Mug - \u001bBlue" }, "Lineitem name", "variant contains a control"],
    [{ sku: "a".repeat(256) }, "Lineitem sku", "longer"],
    [{ sku: "HP\tA3" }, "Lineitem sku", "control character"],
  ])("rejects %j, naming the column %s", (cells, column, why) => {
    const verdict = classifyLine({ ...line, ...cells });
    expect(verdict).toMatchObject({ kind: "unusable", column });
    expect(verdict.kind === "unusable" && reasonText(verdict.reason, "en")).toContain(why);
  });
});

test.each([
  ["Harbour Print - A3", "Harbour Print", "A3"],
  ["Harbour - at Dawn - A3 / Framed", "Harbour - at Dawn", "A3 / Framed"],
  ["Mug", "Mug", ""],
  ["T-shirt", "T-shirt", ""],
  ["  Mug  -  Blue ", "Mug", "Blue"],
  [" - Blue", "", "Blue"],
  ["Mug - ", "Mug", ""],
  ["", "", ""],
])("splits %j into the title %j and the variant %j", (name, title, variant) => {
  expect(splitLineitemName(name)).toEqual({ title, variant });
});
