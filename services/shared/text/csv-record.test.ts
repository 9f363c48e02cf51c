import fc from "fast-check";
import { expect, test } from "vitest";
import { csvRecord } from "./csv-record.ts";

test("renders a record of RFC 4180, and quotes fields that contain the separator of any program", () => {
  expect(csvRecord(["a", "", 'b "c"'])).toBe('a,,"b ""c"""\r\n');
  for (const separator of [",", ";", "\t", "|", "\n", "\r"])
    expect(csvRecord([`a${separator}b`, "c"])).toBe(`"a${separator}b",c\r\n`);
});

test.each([
  ["=1+2", "'=1+2"],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\uFF1D1", "'\uFF1D1"],
  ["\uFF0B1", "'\uFF0B1"],
  ["\uFF0D1", "'\uFF0D1"],
  ["\uFF20A", "'\uFF20A"],
  [" =1", "' =1"],
  ["Ada;=cmd|'/C calc'!A1;", "\"Ada;'=cmd|'/C calc'!A1;\""],
  ["Ada|=1", '"Ada|\'=1"'],
  ["Ada\n=1", '"Ada\n\'=1"'],
  ["Ada, -1", '"Ada,\' -1"'],
  ["\t=1", "\"'\t'=1\""],
  ['Ada;"=1', '"Ada;\'""=1"'],
  ['"=1"', '"\'""=1"""'],
])("keeps spreadsheets from evaluating %j", (text, field) => {
  expect(csvRecord([text])).toBe(`${field}\r\n`);
});

test("leaves texts without a formula unchanged", () => {
  for (const text of ["A = b", "Anne-Marie", "ada+1@example.test", "2026-03-14T10:00:00.000Z", "3'"])
    expect(csvRecord([text])).toBe(`${text}\r\n`);
});

test("no field of a program that splits at any separator, whatever it does with quotation marks, is a formula", () => {
  const text = fc.string({ unit: fc.constantFrom(..."=+-@\uFF1D;,|\t\n\r\"' a") });
  fc.assert(
    fc.property(fc.array(text), (cells) => {
      for (const field of csvRecord(cells).split(/[,;|\t\r\n]/))
        expect(field.replace(/^["\s]+/, "")).not.toMatch(/^[=+\-@\uFF1D]/);
    }),
    { numRuns: 2_000 },
  );
});

test.each(["\t", "\n", '"', " ", ";", "=", "\t="])("takes little time for a cell of 100,000 times %j", (unit) => {
  const before = process.threadCpuUsage();
  csvRecord([`=${unit.repeat(100_000)}`]);
  expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(1_000);
});
