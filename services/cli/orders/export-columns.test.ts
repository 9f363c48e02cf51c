import { describe, expect, test } from "vitest";
import { cellOf, rawCellOf, readHeader } from "./export-columns.ts";
import { ExportError } from "./export-error.ts";

const REQUIRED = [
  "Name",
  "Email",
  "Financial Status",
  "Lineitem quantity",
  "Lineitem name",
  "Billing Name",
  "Id",
];

describe("the export's header", () => {
  test("gives the place of each column in any order, others between", () => {
    const columns = readHeader(["Tags", ...REQUIRED.toReversed(), "Notes"], 1);
    expect(columns.cellCount).toBe(9);
    expect(columns.index.get("Id")).toBe(1);
    expect(columns.index.get("Name")).toBe(7);
    expect(columns.index.get("Lineitem sku")).toBeUndefined();
  });

  test.each(REQUIRED)("without the column %s is an error naming it", (column) => {
    const read = () =>
      readHeader(
        REQUIRED.filter((each) => each !== column),
        1,
      );
    expect(read).toThrow(ExportError);
    expect(read).toThrow(`"${column}" is missing`);
  });

  test("with a column twice is an error naming it", () => {
    expect(() => readHeader([...REQUIRED, "email "], 1)).toThrow('"Email" stands twice');
  });

  test("may have columns that are not read twice", () => {
    expect(readHeader([...REQUIRED, "Tags", "Tags"], 1).cellCount).toBe(9);
  });

  test("takes either spelling of cancelled, so that a cancelled order never passes as paid", () => {
    expect(readHeader([...REQUIRED, "Canceled at"], 1).index.get("Cancelled at")).toBe(7);
    expect(() => readHeader([...REQUIRED, "Canceled at", "Cancelled at"], 1)).toThrow('"Cancelled at"');
  });

  test("parted by semicolons says that commas are needed", () => {
    expect(() => readHeader([REQUIRED.join(";")], 1)).toThrow("commas");
  });
});

describe("a row's cell", () => {
  const columns = readHeader(REQUIRED, 1);

  test("comes without white space at its ends", () => {
    expect(cellOf(columns, [" #1 "], "Name")).toBe("#1");
    expect(rawCellOf(columns, [" #1 "], "Name")).toBe(" #1 ");
  });

  test("is null where file or row does not have it", () => {
    expect(cellOf(columns, ["#1"], "Paid at")).toBeNull();
    expect(cellOf(columns, ["#1"], "Id")).toBeNull();
  });
});
