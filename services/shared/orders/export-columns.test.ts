import { describe, expect, test } from "vitest";
import { cellOf, columnOfField, rawCellOf, readHeader } from "./export-columns.ts";
import { ExportError } from "./export-error.ts";

const required = ["Name", "Email", "Financial Status", "Lineitem quantity", "Lineitem name", "Billing Name", "Id"];

describe("readHeader", () => {
  test("finds the columns in any order among ignored columns", () => {
    const columns = readHeader(["Tags", ...required.toReversed(), "Notes"], 1);
    expect(columns.cellCount).toBe(9);
    expect(columns.index.get("Id")).toBe(1);
    expect(columns.index.get("Name")).toBe(7);
    expect(columns.index.get("Lineitem sku")).toBeUndefined();
  });

  test.each(required)("rejects a header without the column %s", (column) => {
    const read = () =>
      readHeader(
        required.filter((each) => each !== column),
        1,
      );
    expect(read).toThrow(ExportError);
    expect(read).toThrow(`lacks the column "${column}"`);
  });

  test("rejects a header that contains a used column twice", () => {
    expect(() => readHeader([...required, "email "], 1)).toThrow('the column "Email" twice');
  });

  test("names both headings of a column that occurs in two spellings", () => {
    expect(() => readHeader([...required, "Canceled at", "Cancelled at "], 1)).toThrow(
      'The header has the columns "Canceled at" and "Cancelled at", which mean the same. Delete one of them.',
    );
  });

  test("accepts ignored columns that occur twice", () => {
    expect(readHeader([...required, "Tags", "Tags"], 1).cellCount).toBe(9);
  });

  test("recognizes both spellings of cancelled, so that a cancelled order cannot pass as paid", () => {
    expect(readHeader([...required, "Canceled at"], 1).index.get("Cancelled at")).toBe(7);
    expect(() => readHeader([...required, "Canceled at", "Cancelled at"], 1)).toThrow('"Cancelled at"');
  });

  test("asks for commas if the cells are separated by semicolons", () => {
    expect(() => readHeader([required.join(";")], 1)).toThrow("commas");
  });
});

describe("cellOf", () => {
  const columns = readHeader(required, 1);

  test("trims the cell", () => {
    expect(cellOf(columns, [" #1 "], "Name")).toBe("#1");
    expect(rawCellOf(columns, [" #1 "], "Name")).toBe(" #1 ");
  });

  test("returns null for a cell that the file or the row lacks", () => {
    expect(cellOf(columns, ["#1"], "Paid at")).toBeNull();
    expect(cellOf(columns, ["#1"], "Id")).toBeNull();
  });
});

test.each([
  ["product.title", "Lineitem name"],
  ["product.variant", "Lineitem name"],
  ["product.sku", "Lineitem sku"],
  ["buyer.email", "Email"],
  ["buyer.name", "Billing Name"],
  ["order.id", "Id"],
  ["order.name", "Name"],
  ["order.unit", "Lineitem quantity"],
  ["expires_at", null],
  [undefined, null],
])("maps the field %s to the column %s", (field, column) => {
  expect(columnOfField(field)).toBe(column);
});
