import type { ExportRow } from "./export-layout.ts";

/** A row of the file to be. */
export interface FileRow {
  readonly row: ExportRow;
  /** Where it goes: rows are sorted by this, an order's index by default. */
  readonly at: number;
  /** Cells that are left of it; default all. */
  readonly cellsMax?: number;
  /** Its quotation marks are written as they are, out of place. */
  readonly looseQuotes?: boolean;
}

/** Something that real exports have, done to one order. */
export interface Quirk {
  /** What it is. */
  readonly what: string;
  /** Line items that the order must have. */
  readonly itemsMin: number;
  /** Does it. */
  readonly apply: (rows: readonly FileRow[]) => FileRow[];
}

const apart = (by: number): Quirk => ({
  what: `the order's last row comes ${by} orders later`,
  itemsMin: 2,
  apply: (rows) =>
    rows.map((each, at) => (at === rows.length - 1 ? { ...each, at: each.at + by + 0.5 } : each)),
});

const early = (by: number): Quirk => ({
  what: `the order's first row comes ${by} orders after the others`,
  itemsMin: 2,
  apply: (rows) => rows.map((each, at) => (at === 0 ? { ...each, at: each.at + by + 0.5 } : each)),
});

/** The cells of the order's first row are replaced. */
const withCells = (what: string, cells: ExportRow, itemsMin = 1): Quirk => ({
  what,
  itemsMin,
  apply: (rows) => rows.map((each, at) => (at === 0 ? { ...each, row: { ...each.row, ...cells } } : each)),
});

const withFirst = (what: string, change: (first: FileRow) => Partial<FileRow>): Quirk => ({
  what,
  itemsMin: 1,
  apply: (rows) => rows.map((each, at) => (at === 0 ? { ...each, ...change(each) } : each)),
});

/** The quirks by the index of their order. */
export const QUIRKS: ReadonlyMap<number, Quirk> = new Map([
  [12, apart(3)],
  [40, early(2)],
  [71, withCells("a spreadsheet damaged the order id", { Id: "5.61E+12" }, 2)],
  [98, apart(41)],
  [110, withCells("the e-mail address has no @", { Email: "ingrid.nattviol.example" })],
  [133, withCells("nothing was ordered", { "Lineitem quantity": "0" })],
  [160, withCells("the buyer has no name", { "Billing Name": "" })],
  [182, withCells("paid, but when is not told", { "Paid at": "" })],
  [207, withFirst("the order's name lost its #", ({ row }) => ({ row: { ...row, Name: "1208" } }))],
  [229, withCells("the name has a line tabulation in it", { "Billing Name": "Øystein\u000bFjällgren" })],
  [251, withFirst("the row was cut off", () => ({ cellsMax: 31 }))],
  [
    278,
    withFirst("quotation marks are out of place", ({ row }) => ({
      row: { ...row, "Lineitem name": 'Frame 12" x 16"', "Lineitem sku": "FRAME-1216", Notes: "" },
      looseQuotes: true,
    })),
  ],
  [300, { what: "the order's first row is not in the file", itemsMin: 2, apply: (rows) => rows.slice(1) }],
  [322, withCells("an older order has this name", { Name: "#1322" })],
  [349, withCells("the financial status is empty", { "Financial Status": "" })],
  [
    371,
    withCells("an engraving of 300 letters", {
      "Lineitem name": `Engraving: ${"forever and ".repeat(25)}ever`,
    }),
  ],
  [390, early(15)],
  [402, withCells("the name is on two lines", { "Billing Name": "Atelier Grünspecht &\r\nTöchter" })],
  [
    418,
    withCells("two dozen for a wedding", {
      "Lineitem name": "Postcard Set",
      "Lineitem sku": "",
      "Lineitem quantity": "24",
    }),
  ],
]);
