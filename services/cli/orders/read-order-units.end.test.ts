import { describe, expect, test } from "vitest";
import { bytesOf, drain, exportText, headRow, lineRow } from "./csv-fixture.ts";
import { type ReadCounts, readOrderUnits } from "./read-order-units.ts";

describe("readOrderUnits with a file that is not an order export", () => {
  test.each([
    ["", { message: "The file is empty.", line: null, column: null }],
    ["\ufeff\r\n", { message: "The file is empty." }],
    ["Name,Email\n#1,a@example.com\n", { column: "Financial Status", line: 1 }],
    [exportText([headRow("#1", "11")]).replace("Paid at", "Name"), { column: "Name", line: 1 }],
    [exportText([headRow("#1", "11")]).replace("Id", 'I"d'), { line: 1 }],
  ])("throws one error and yields no unit: %j", async (text, error) => {
    const { values, failure } = await drain(readOrderUnits(bytesOf(text)));
    expect(values).toEqual([]);
    expect(failure).toMatchObject({ name: "ExportError", ...error });
  });
});

describe("readOrderUnits while reading", () => {
  test("reports counts on the way and at the end, also after a failure", async () => {
    const text = exportText([headRow("#1", "11"), lineRow("#1"), headRow("#2", "22")]);
    const reports: ReadCounts[] = [];
    await drain(readOrderUnits(bytesOf(text), { onRead: (counts) => reports.push(counts) }));
    expect(reports.length).toBeGreaterThan(3);
    expect(reports.at(-1)).toEqual({ bytes: Buffer.byteLength(text), rows: 3, orders: 2 });
    await drain(readOrderUnits(bytesOf(`${text}"`), { onRead: (counts) => reports.push(counts) }));
    expect(reports.at(-1)).toMatchObject({ rows: 3, orders: 2 });
  });

  test("does not read ahead of its consumer", async () => {
    const text = exportText(Array.from({ length: 2_000 }, (_, at) => headRow(`#${at}`, `${at}`)));
    let bytes = 0;
    const units = readOrderUnits(bytesOf(text, 1_000), { onRead: (counts) => (bytes = counts.bytes) });
    for (let taken = 0; taken < 20; taken += 1) await units.next();
    expect(bytes).toBeLessThan(5_000);
    await units.return();
  });
});
