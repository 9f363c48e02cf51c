import { execFile } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cellsOf, FIXTURE_COLUMNS, type FixtureRow, headRow, lineRow, recordText } from "./csv-fixture.ts";

const ROWS = 200_000;
const ORDERS = 80_000;
// As many further cells as the platform's export has, so that the file has the size of a real one (about 50 MB).
const PADDING = Array.from({ length: 69 }, (_, at) => `Other ${at}`);
const FILLED = PADDING.map((_, at) => (at % 3 === 0 ? "12 Quay Road" : ""));
const EMPTY = PADDING.map(() => "");
const READER = `
import { createReadStream } from "node:fs";
import { readOrderUnits } from ${JSON.stringify(new URL("./read-order-units.ts", import.meta.url).href)};
let last, units = 0;
for await (const row of readOrderUnits(createReadStream(process.argv[1]), { onRead: (counts) => (last = counts) })) {
  if (row.kind === "unit") units += 1;
}
const rssMiB = Math.round(process.resourceUsage().maxRSS / 1024);
process.stdout.write(JSON.stringify({ units, rows: last.rows, orders: last.orders, rssMiB }));
`;

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "large-export-"));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** 2 or 3 rows for each order, the last of them 1,000 orders later. */
function* exportRecords(): Generator<string> {
  yield `${recordText([...FIXTURE_COLUMNS, ...PADDING])}\r\n`;
  const record = (row: FixtureRow, padding: string[]) => `${recordText([...cellsOf(row), ...padding])}\r\n`;
  for (let at = 0; at < ORDERS + 1_000; at += 1) {
    const name = `#${10_000 + at}`;
    if (at < ORDERS) {
      yield record(headRow(name, `${5_123_456_780_000 + at}`, { Email: `buyer+${at}@example.com` }), FILLED);
      if (at % 2 === 0) yield record(lineRow(name), EMPTY);
    }
    if (at >= 1_000) yield record(lineRow(`#${9_000 + at}`), EMPTY);
  }
}

function* inBlocks(lines: Iterable<string>): Generator<string> {
  let block = "";
  for (const line of lines) {
    block += line;
    if (block.length < 1_000_000) continue;
    yield block;
    block = "";
  }
  yield block;
}

test("an export of 200,000 rows is read with a heap of 96 MiB", { timeout: 60_000 }, async () => {
  const path = join(folder, "orders.csv");
  await pipeline(Readable.from(inBlocks(exportRecords())), createWriteStream(path));
  const args = ["--max-old-space-size=96", "--input-type=module", "-e", READER, path];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const read: { rssMiB: number } = JSON.parse(stdout);
  expect(read).toMatchObject({ units: ROWS, rows: ROWS, orders: ORDERS });
  expect(read.rssMiB).toBeLessThan(400);
});
