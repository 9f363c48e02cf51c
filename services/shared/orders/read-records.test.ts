import { describe, expect, test } from "vitest";
import { longestTurnCpuMs } from "../../../test/harness/turns/longest-turn.ts";
import { bytesOf, drain } from "./csv-fixture.ts";
import { ExportError } from "./export-error.ts";
import { type CsvRecord, readRecords } from "./read-records.ts";

/** Reads the text once for each chunk size, which must not affect the result. */
async function read(text: string | Uint8Array, chunkSizes = [1, 2, 3, 5, 7, 1_000_000]) {
  const results = chunkSizes.map(async (chunkBytes) => {
    const { values, failure } = await drain(readRecords(bytesOf(text, chunkBytes)));
    return { records: values.map(short), failure };
  });
  const [first = { records: [], failure: undefined }, ...others] = await Promise.all(results);
  for (const other of others) expect(other).toEqual(first);
  return first;
}

function short({ line, endLine, cells, wellQuoted }: CsvRecord): [string, readonly string[]] {
  return [`${line}-${endLine}${wellQuoted ? "" : " bad"}`, cells];
}

describe("readRecords", () => {
  test("returns the first and the last physical line of each record", async () => {
    const text = '\ufeffa,b\r\n\r\n1,"x\r\ny\r\nz"\r\n2,"x\ny"\n\n\n3,李\r\n4,';
    const { records, failure } = await read(text);
    expect(failure).toBeNull();
    expect(records).toEqual([
      ["1-1", ["a", "b"]],
      ["3-5", ["1", "x\r\ny\r\nz"]],
      ["6-7", ["2", "x\ny"]],
      ["10-10", ["3", "李"]],
      ["11-11", ["4", ""]],
    ]);
  });

  test("returns records with any number of cells", async () => {
    const { records } = await read("a,b\n1\n1,2,3\n1,2\n");
    expect(records.map(([, cells]) => cells.length)).toEqual([2, 1, 3, 2]);
  });

  test.each([
    ['5" x 7",b', '5" x 7"'],
    ['"5" x 7",b', '"5" x 7"'],
    ['"a"b,b', '"a"b'],
    ['"a" ,b', '"a" '],
    ['a ""c"",b', 'a ""c""'],
    [' "a",b', ' "a"'],
  ])("marks only the record with a misplaced quotation mark: %s", async (record, cell) => {
    const { records, failure } = await read(`a,b\n${record}\n1,"2"\n`);
    expect(failure).toBeNull();
    expect(records).toEqual([
      ["1-1", ["a", "b"]],
      ["2-2 bad", [cell, "b"]],
      ["3-3", ["1", "2"]],
    ]);
  });

  test("returns rows that an unclosed quotation mark absorbs as one record, marked as badly quoted", async () => {
    const { records, failure } = await read('a,b\n1,"2\n3,4\n5,"6"\n7,8\n');
    expect(failure).toBeNull();
    expect(records.map(([lines]) => lines)).toEqual(["1-1", "2-4 bad", "5-5"]);
  });

  test("returns no records for an empty file", async () => {
    expect(await read("")).toEqual({ records: [], failure: null });
    expect(await read("\n\r\n")).toEqual({ records: [], failure: null });
  });
});

describe("readRecords yields the earlier records and then throws an error naming the line", () => {
  test("for a quotation mark that is never closed", async () => {
    const { records, failure } = await read('a,b\n1,2\n"x\ny",2\n3,"4\n5,6\n7,8');
    expect(records.map(([lines]) => lines)).toEqual(["1-1", "2-2", "3-4"]);
    expect(failure).toBeInstanceOf(ExportError);
    expect(failure).toMatchObject({ line: 5, message: expect.stringContaining("never closed") });
  });

  test("for a record with more than 1,000 cells, in a file of any shape", async () => {
    const wide = (cells: number) => Array.from({ length: cells }, (_, cell) => `${cell}`).join(",");
    const { records, failure } = await read(`a,b\n${wide(1_000)}\n${wide(1_001)}\n1,2\n`, [7, 65_536]);
    expect(records.map(([lines, cells]) => [lines, cells.length])).toEqual([
      ["1-1", 2],
      ["2-2", 1_000],
    ]);
    expect(failure).toMatchObject({ line: 3, message: expect.stringContaining("more than 1,000 cells") });
    const last = await read(`a,b\n${wide(1_001)}`, [65_536]);
    expect(last.records.length).toBe(1);
    expect(last.failure).toMatchObject({ line: 2, message: expect.stringContaining("more than 1,000 cells") });
  });

  test.each([
    ["commas", ","],
    ["empty quoted cells", '"",'],
    ["misplaced quotation marks", '",'],
    ["quotation marks", '"'],
    ["escaped quotation marks", '""'],
    ["carriage returns", "\r"],
  ])("for a first line that consists of %s, after reading little of it", async (_what, unit) => {
    let bytesRead = 0;
    async function* endless() {
      const chunk = Buffer.from(unit.repeat(32_768 / unit.length));
      for (; bytesRead < 10_000_000; bytesRead += chunk.length) yield chunk;
    }
    const { values: records, failure } = await drain(readRecords(endless()));
    expect(records).toEqual([]);
    expect(failure).toBeInstanceOf(ExportError);
    expect(bytesRead).toBeLessThan(400_000);
  });

  test("for a record larger than 128 KiB", async () => {
    const { records, failure } = await read(`a,b\n1,2\n3,"${"x\n".repeat(70_000)}"\n`, [65_536]);
    expect(records.map(([lines]) => lines)).toEqual(["1-1", "2-2"]);
    expect(failure).toMatchObject({ line: 3, message: expect.stringContaining("128 KiB") });
  });

  test("for bytes that are not UTF-8", async () => {
    const { records, failure } = await read(Buffer.from("a,b\n1,2\n3,Zo\u00eb\n5,6\n", "latin1"));
    expect(records.map(([lines]) => lines)).toEqual(["1-1", "2-2"]);
    expect(failure).toMatchObject({ line: 3, message: expect.stringContaining("not UTF-8") });
  });

  test("for a file that is truncated within a character", async () => {
    const { records, failure } = await read(Buffer.from("a,b\n1,2\n3,李").subarray(0, -1));
    expect(records.map(([lines]) => lines)).toEqual(["1-1", "2-2"]);
    expect(failure).toMatchObject({ line: 3, message: expect.stringContaining("not UTF-8") });
  });

  test("for a file that is encoded in UTF-16", async () => {
    const { records, failure } = await read(Buffer.from("\ufeffa,b\n1,2\n", "utf16le"));
    expect(records).toEqual([]);
    expect(failure).toMatchObject({ line: 1, message: expect.stringContaining("not UTF-8") });
  });
});

test("readRecords rethrows an error thrown by its source", async () => {
  async function* source() {
    yield Buffer.from("a,b\n1,2\n");
    throw new Error("disk gone");
  }
  const { failure } = await drain(readRecords(source()));
  expect(failure).toEqual(new Error("disk gone"));
});

const header = "a,b,c\n";

async function cpuMsOf(text: string): Promise<number> {
  const before = process.threadCpuUsage();
  await drain(readRecords(bytesOf(text, 32_768)));
  return process.threadCpuUsage(before).user / 1_000;
}

test("readRecords reads rows of any width as fast as rows of the header's width", async () => {
  const least = new Map<string, number>();
  const ratio = () => {
    const [ofHeader = 0, ...others] = least.values();
    return Math.max(...others) / ofHeader;
  };
  // The first round compiles the code, and a garbage collection can make a reading too large.
  for (let round = 0; round < 2 || (round < 10 && ratio() >= 2); round++)
    for (const row of ["a,b,c\n", "a\n", "a,b,c,d\n"]) {
      const cpuMs = await cpuMsOf(header + row.repeat(10_000));
      least.set(row, Math.min(cpuMs, least.get(row) ?? cpuMs));
    }
  expect(ratio()).toBeLessThan(2);
});

test.each([
  ["blank lines", "\n"],
  ["rows of one character", "a\n"],
  ["rows of 1,000 cells", `${",".repeat(999)}\n`],
  ["rows of 100,000 quotation marks", `${'"'.repeat(100_000)}\n`],
  ["rows with a misplaced quotation mark after 100,000 others", `"${'"'.repeat(100_000)}",a"\n`],
  ["one record of 10 MiB", ","],
])("readRecords lets other work run while it reads %s", { timeout: 120_000 }, async (_what, unit) => {
  const text = header + unit.repeat(Math.ceil((unit === "," ? 10_485_760 : 20_000) / unit.length));
  expect(await longestTurnCpuMs(() => drain(readRecords(bytesOf(text, 32_768))), 50)).toBeLessThan(50);
});
