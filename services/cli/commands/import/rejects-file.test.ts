import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { bytesOf, drain, exportText, fixtureColumns, headRow, lineRow } from "#shared/orders/csv-fixture.ts";
import { readOrderUnits } from "#shared/orders/read-order-units.ts";
import { reason } from "#shared/reasons/reason.ts";
import { openTemporaryFolder } from "../../../../test/harness/files/temporary-folder.ts";
import { openRejectsFile, type RejectsFile } from "./rejects-file.ts";

const folder = await openTemporaryFolder("rejects-file", afterAll);
let files = 0;
const newFile = () => path.join(folder, `rejects-${++files}.csv`);

const header = `Rejected line,Rejected column,Reason,${fixtureColumns.join(",")}`;
const text = exportText([
  headRow("#1", "11"),
  headRow("#2", "22", { Email: "ann", "Billing Name": 'Ann "Lee", junior' }),
  lineRow("#3"),
]);

async function contentAfter(file: string, fill: (rejects: RejectsFile) => void, source = text): Promise<string[]> {
  const rejects = await openRejectsFile(file);
  fill(rejects);
  await rejects.write(bytesOf(source));
  return (await readFile(file, "utf8")).trimEnd().split("\n");
}

test("writes the rejected rows in the order of the export, with line, column, reason and all cells", async () => {
  const file = newFile();
  const lines = await contentAfter(file, (rejects) => {
    rejects.add({ line: 4, column: "Id", reason: reason("order_id_empty"), firstUnit: 1 });
    rejects.add({ line: 3, column: "Email", reason: reason("email_invalid"), firstUnit: 1 });
    rejects.add({ line: 3, column: null, reason: reason("sold_out", { title: "Harbour Print" }), firstUnit: 2 });
    expect(rejects.rowCount).toBe(2);
  });
  expect(lines).toEqual([
    header,
    '3,Email,The value is not an email address. The edition of Harbour Print is sold out. The first affected unit is number 2.,#2,ann,paid,2024-05-01 10:11:12 +0200,1,Harbour Print - A3,HP-A3,"Ann ""Lee"", junior",,22',
    "4,Id,The order id is empty.,#3,,,,1,Harbour Print - A3,HP-A3,,,",
  ]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test("replaces the rows of an earlier import, and writes only a header if no row is rejected", async () => {
  const file = newFile();
  await contentAfter(file, (rejects) =>
    rejects.add({ line: 3, column: null, reason: reason("issue_refused"), firstUnit: 1 }),
  );
  expect(await contentAfter(file, () => undefined)).toEqual([header]);
});

test("opening the file keeps the rows of an earlier import", async () => {
  const file = newFile();
  const lines = await contentAfter(file, (rejects) =>
    rejects.add({ line: 3, column: null, reason: reason("issue_refused"), firstUnit: 1 }),
  );
  await openRejectsFile(file);
  expect((await readFile(file, "utf8")).trimEnd().split("\n")).toEqual(lines);
});

test("if a row makes the rest of the export unreadable, writes the rejected rows before that row", async () => {
  const rejected = { line: 2, column: null, reason: reason("issue_refused"), firstUnit: 1 };
  const lines = await contentAfter(newFile(), (rejects) => rejects.add(rejected), `${text}#9,"never closed\n`);
  expect(lines).toHaveLength(2);
});

test("refuses to replace a file that is neither empty nor a rejects file", async () => {
  const file = newFile();
  await writeFile(file, text);
  await expect(openRejectsFile(file)).rejects.toThrow("exists and is not a rejects file");
  expect(await readFile(file, "utf8")).toBe(text);
});

test("the import refuses a rejects file, because its rows may not have the same positions in their orders as in the export", async () => {
  const file = newFile();
  await contentAfter(file, (rejects) =>
    rejects.add({ line: 4, column: null, reason: reason("issue_refused"), firstUnit: 1 }),
  );
  const { failure } = await drain(readOrderUnits(bytesOf(await readFile(file))));
  expect(failure).toMatchObject({ message: expect.stringContaining("Correct these rows in the order export") });
});
