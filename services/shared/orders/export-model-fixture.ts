import fc from "fast-check";
import { cellsOf, type FixtureRow, fixtureColumns, headRow, lineRow, recordText } from "./csv-fixture.ts";

interface LineModel {
  readonly title: string;
  readonly variant: string;
  readonly sku: string;
  readonly quantity: number;
  readonly rank: number;
}

interface OrderModel {
  readonly buyer: string;
  readonly email: string;
  readonly status: string;
  readonly cancelled: boolean;
  readonly lines: readonly LineModel[];
  readonly headAt: number;
}

/** For tests: the orders of an export, its format, and the size of the chunks in which it is read. */
interface FileModel {
  readonly orders: readonly OrderModel[];
  readonly eol: string;
  readonly bom: boolean;
  readonly endsWithEol: boolean;
  readonly quoteAll: readonly boolean[];
  readonly chunkBytes: number;
}

/** For tests: a row of the export, with the order to which it belongs. */
export interface PlacedLine {
  readonly order: OrderModel;
  readonly number: number;
  readonly line: LineModel;
  readonly isHead: boolean;
}

const letters = fc.constantFrom(..."abcXYZ019.,;'\"#@-+ éß李\u{1f5bc}\n\t".split(/(?:)/u), "\r\n", '""', '",', ",\n");
const cell = (charactersMin: number) =>
  fc.array(letters, { maxLength: 12 }).map((parts) => (charactersMin > 0 ? `a${parts.join("")}` : parts.join("")));
const line: fc.Arbitrary<LineModel> = fc
  .record({
    title: cell(1),
    variant: cell(0),
    sku: cell(0).map((text) => text.replace(/\s/g, "")),
    quantity: fc.integer({ min: 1, max: 3 }),
    rank: fc.integer({ min: 0, max: 1_000_000 }),
  })
  .filter(({ title, variant }) => !title.includes("-") && !variant.includes("-"));
const order: fc.Arbitrary<OrderModel> = fc.record({
  buyer: cell(1),
  email: fc.constantFrom("ann@example.com", "Bob+shop@Example.ORG", "o'neil@example.net"),
  status: fc.constantFrom("paid", "paid", "paid", "pending", "refunded"),
  cancelled: fc.boolean(),
  lines: fc.array(line, { minLength: 1, maxLength: 4 }),
  headAt: fc.nat({ max: 3 }),
});
/** For tests: generates valid order exports, with quotation marks and line breaks in their cells. */
export const anyFile: fc.Arbitrary<FileModel> = fc.record({
  orders: fc.array(order, { maxLength: 6 }),
  eol: fc.constantFrom("\n", "\r\n"),
  bom: fc.boolean(),
  endsWithEol: fc.boolean(),
  quoteAll: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
  chunkBytes: fc.integer({ min: 1, max: 40 }),
});

/** For tests: the rows of the export in file order. */
export function placedLines({ orders }: FileModel): PlacedLine[] {
  const all = orders.flatMap((each, number) => each.lines.map((item) => ({ order: each, number, line: item })));
  const sorted = all.toSorted((a, b) => a.line.rank - b.line.rank);
  return sorted.map((each) => {
    const own = sorted.filter(({ number }) => number === each.number);
    return { ...each, isHead: own.indexOf(each) === each.order.headAt % own.length };
  });
}

function rowOf({ order: { buyer, email, status, cancelled }, number, line: item, isHead }: PlacedLine): FixtureRow {
  const cells = {
    "Lineitem quantity": String(item.quantity),
    "Lineitem name": item.variant === "" ? item.title : `${item.title} - ${item.variant}`,
    "Lineitem sku": item.sku,
  };
  const name = `#${1000 + number}`;
  if (!isHead) return lineRow(name, cells);
  const time = cancelled ? "2024-05-02 10:11:12 +0200" : "";
  const head = { Email: email, "Billing Name": buyer, "Financial Status": status, "Cancelled at": time };
  return headRow(name, String(5_000 + number), { ...cells, ...head });
}

/** For tests: the text of the export and the physical line where each row begins. */
export function textAndLines(model: FileModel, rows: readonly PlacedLine[]): { text: string; lines: number[] } {
  const records = [fixtureColumns, ...rows.map((row) => cellsOf(rowOf(row)))];
  const texts = records.map((cells, at) => recordText(cells, model.quoteAll[at % model.quoteAll.length]));
  const lines: number[] = [];
  let next = 1;
  for (const text of texts) {
    lines.push(next);
    next += text.split("\n").length;
  }
  const end = model.endsWithEol ? model.eol : "";
  return { text: (model.bom ? "\ufeff" : "") + texts.join(model.eol) + end, lines: lines.slice(1) };
}
