import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import {
  bytesOf,
  cellsOf,
  drain,
  exportText,
  type FixtureRow,
  fixtureColumns,
  headRow,
  lineRow,
  recordText,
} from "./csv-fixture.ts";
import type { OrderUnitRow } from "./order-unit-row.ts";
import { orderNameFault, type ReadCounts, readOrderUnits } from "./read-order-units.ts";

function short(row: OrderUnitRow): string {
  if (row.kind === "unusable") return `${row.line} unusable ${row.column}`;
  if (row.kind === "skipped") return `${row.line} skipped ${row.reason}`;
  if (row.kind === "withdrawn") return `${row.line} ${row.reason} ${row.order.name} ${row.order.id}`;
  const { order, product } = row.item;
  return `${row.line} ${order.name} ${order.id}/${order.line}/${order.unit} ${product.title}`;
}

async function read(rows: readonly FixtureRow[] | string): Promise<string[]> {
  const text = typeof rows === "string" ? rows : exportText(rows);
  const { values, failure } = await drain(readOrderUnits(bytesOf(text)));
  expect(failure).toBeNull();
  return values.map(short);
}

describe("readOrderUnits", () => {
  test("yields each unit of each paid line item", async () => {
    const text = exportText([headRow("#1", "11", { "Lineitem quantity": "2" }), lineRow("#1")]);
    const { values } = await drain(readOrderUnits(Readable.from([Buffer.from(text)])));
    const item = {
      product: { id: "", title: "Harbour Print", variant: "A3", sku: "HP-A3" },
      buyer: { name: "Ann Lee", email: "ann@example.com" },
      order: { id: "11", name: "#1", line: "1", unit: 1 },
    };
    expect(values).toEqual([
      { kind: "unit", line: 2, item },
      { kind: "unit", line: 2, item: { ...item, order: { ...item.order, unit: 2 } } },
      { kind: "unit", line: 3, item: { ...item, order: { ...item.order, line: "2" } } },
    ]);
  });

  test("accepts rows that precede the row with their order's details or are separated from it", async () => {
    expect(await read([lineRow("#2"), headRow("#1", "11"), headRow("#2", "22"), lineRow("#1")])).toEqual([
      "3 #1 11/1/1 Harbour Print",
      "2 #2 22/1/1 Harbour Print",
      "4 #2 22/2/1 Harbour Print",
      "5 #1 11/2/1 Harbour Print",
    ]);
  });

  test("yields each row of an order that gets no certificates, whatever the row's line item contains", async () => {
    const pending = headRow("#1", "11", { "Financial Status": "pending", "Paid at": "" });
    const cancelled = headRow("#2", "22", { "Cancelled at": "2024-05-02 10:11:12 +0200" });
    const refunded = headRow("#3", "33", { "Financial Status": "refunded" });
    const rows = [pending, lineRow("#1", { "Lineitem quantity": "0" }), cancelled, refunded, lineRow("#3")];
    expect(await read(rows)).toEqual([
      "2 skipped notPaid",
      "3 skipped notPaid",
      "4 cancelled #2 22",
      "5 refunded #3 33",
      "6 refunded #3 33",
    ]);
  });

  test("yields unusable rows with line numbers, and repeats an order's fault for all of the order's rows", async () => {
    const rows = [
      headRow("#1", "11", { Email: "ann" }),
      headRow("2", "22"),
      lineRow("#1"),
      headRow("#3", "33", { "Lineitem quantity": "0" }),
      lineRow("#3"),
      lineRow("#4"),
    ];
    expect(await read(rows)).toEqual([
      "2 unusable Email",
      "3 unusable Name",
      "4 unusable Email",
      "5 unusable Lineitem quantity",
      "6 #3 33/2/1 Harbour Print",
      "7 unusable Id",
    ]);
  });

  test("keeps the positions of an order's rows if some of them are unreadable", async () => {
    const [header = "", first = ""] = exportText([headRow("#1", "11")]).split("\n");
    const last = recordText(cellsOf(lineRow("#1")));
    const lines = [header, first, "#1,too,short", '#1,,,,1,5" frame,,,,', last];
    expect(await read(lines.join("\r\n"))).toEqual([
      "2 #1 11/1/1 Harbour Print",
      "3 unusable null",
      "4 unusable null",
      "5 #1 11/4/1 Harbour Print",
    ]);
  });

  test("names the last line that a misplaced quotation mark may have absorbed", async () => {
    const text = exportText([headRow("#1", "11"), headRow("#2", "22"), headRow("#3", "33")]);
    const { values } = await drain(readOrderUnits(bytesOf(text.replace("#1,", '#1,"').replace("#3,", '#3,"x" '))));
    expect(values).toMatchObject([
      { kind: "unusable", line: 2, reason: { code: "row_misquoted_to_line", params: { line: "4" } } },
    ]);
  });

  test("accepts a file without the optional columns", async () => {
    const optional = ["Lineitem sku", "Paid at", "Cancelled at"];
    const columns = fixtureColumns.filter((column) => !optional.includes(column)).toReversed();
    const text = exportText([headRow("#1", "11"), lineRow("#1")], columns);
    const { values } = await drain(readOrderUnits(bytesOf(text)));
    expect(values.map(short)).toEqual(["2 #1 11/1/1 Harbour Print", "3 #1 11/2/1 Harbour Print"]);
    expect(values[0]).toMatchObject({ item: { product: { sku: "" } } });
  });

  test("ignores blank rows, which spreadsheet programs leave behind", async () => {
    expect(await read(`${exportText([headRow("#1", "11")])}\n,,,,,,,,,\n`)).toEqual(["2 #1 11/1/1 Harbour Print"]);
    expect(await read(exportText([]))).toEqual([]);
  });

  test("yields a row as unusable if the row with its order's details is missing", async () => {
    const { values } = await drain(readOrderUnits(bytesOf(exportText([lineRow("#1")]))));
    expect(values.map(short)).toEqual(["2 unusable Id"]);
    expect(values[0]).toMatchObject({ reason: { code: "order_first_row_missing" } });
  });
});

describe("readOrderUnits with a file that is not an order export", () => {
  test.each([
    ["", { message: "The file is empty.", line: null, column: null }],
    ["\ufeff\r\n", { message: "The file is empty." }],
    ["Name,Email\n#1,a@example.com\n", { column: "Financial Status", line: 1 }],
    [exportText([headRow("#1", "11")]).replace("Paid at", "Name"), { column: "Name", line: 1 }],
    [exportText([headRow("#1", "11")]).replace("Id", 'I"d'), { line: 1 }],
  ])("throws an ExportError and yields no units: %j", async (text, error) => {
    const { values, failure } = await drain(readOrderUnits(bytesOf(text)));
    expect(values).toEqual([]);
    expect(failure).toMatchObject({ name: "ExportError", ...error });
  });
});

describe("readOrderUnits as a stream", () => {
  test("reports counts after each chunk and at the end, even after a failure", async () => {
    const text = exportText([headRow("#1", "11"), lineRow("#1"), headRow("#2", "22")]);
    const reports: ReadCounts[] = [];
    await drain(readOrderUnits(bytesOf(text), (counts) => reports.push(counts)));
    expect(reports.length).toBeGreaterThan(3);
    expect(reports.at(-1)).toEqual({ bytes: Buffer.byteLength(text), rows: 3, orders: 2 });
    await drain(readOrderUnits(bytesOf(`${text}"`), (counts) => reports.push(counts)));
    expect(reports.at(-1)).toMatchObject({ rows: 3, orders: 2 });
  });

  test("does not read ahead of its consumer", async () => {
    const text = exportText(Array.from({ length: 2_000 }, (_, at) => headRow(`#${at}`, `${at}`)));
    let bytes = 0;
    const units = readOrderUnits(bytesOf(text, 1_000), (counts) => (bytes = counts.bytes));
    for (let taken = 0; taken < 20; taken += 1) await units.next();
    expect(bytes).toBeLessThan(5_000);
    await units.return();
  });
});

describe("orderNameFault", () => {
  test.each(["#1001", "#EU-1001", `#${"1".repeat(63)}`])("accepts %s", (name) => {
    expect(orderNameFault(name)).toBeNull();
  });

  test.each([
    ["", "order_name_empty"],
    ["1001", "order_name_without_hash"],
    ["#", "order_name_only_hash"],
    [`#${"1".repeat(64)}`, "cell_too_long"],
    ["#10\u000001", "cell_has_control_character"],
    ["#10\n01", "cell_has_control_character"],
  ])("rejects %j", (name, why) => {
    expect(orderNameFault(name)?.code).toBe(why);
  });
});
