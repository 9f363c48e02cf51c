import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const module = (name: string) =>
  JSON.stringify(new URL(`../../services/shared/orders/${name}.ts`, import.meta.url).href);

// Measures at each chunk: on Linux, maxRSS contains that of the process that started this one.
// Each order has 2 or 3 rows; its last row follows 1,000 orders later. The rows have as many columns as a real export.
const reader = `
import { cellsOf, fixtureColumns, headRow, lineRow, recordText } from ${module("csv-fixture")};
import { readOrderUnits } from ${module("read-order-units")};
const orders = 20_000;
let rss = 0;
const filled = Array.from({ length: 69 }, (_, at) => (at % 3 === 0 ? "12 Quay Road" : ""));
const record = (cells, others = filled) => recordText([...cells, ...others]) + "\\r\\n";
async function* exportChunks() {
  let text = record(fixtureColumns, filled.map((_, at) => "Other " + at));
  for (let at = 0; at < orders + 1_000; at += 1) {
    const row = headRow("#" + at, String(5_123_456_780_000 + at), { Email: "buyer" + at + "@example.com" });
    if (at < orders) text += record(cellsOf(row));
    if (at < orders && at % 2 === 0) text += record(cellsOf(lineRow("#" + at)));
    if (at >= 1_000) text += record(cellsOf(lineRow("#" + (at - 1_000))));
    if (text.length < 65_536) continue;
    yield Buffer.from(text);
    text = "";
    rss = Math.max(rss, process.memoryUsage.rss());
  }
  yield Buffer.from(text);
}
let counts, units = 0;
for await (const row of readOrderUnits(exportChunks(), (read) => (counts = read)))
  if (row.kind === "unit") units += 1;
const rssMiB = Math.round(rss / 1024 ** 2);
process.stdout.write(JSON.stringify({ ...counts, units, rssMiB }));
`;

// A reader that keeps what it has read exceeds this heap. Half of it is too little for the pauses of the collector.
test("reads an export of 50,000 rows and 17 MB with a heap of 48 MiB", { timeout: 180_000 }, async () => {
  const args = ["--max-old-space-size=48", "--input-type=module", "-e", reader];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const read: { bytes: number; rssMiB: number } = JSON.parse(stdout);
  expect(read).toMatchObject({ units: 50_000, rows: 50_000, orders: 20_000 });
  expect(read.bytes).toBeGreaterThan(17_000_000);
  expect(read.rssMiB).toBeLessThan(256);
});
