import { expect, onTestFinished, test, vi } from "vitest";
import { parseObject } from "./parse-object.ts";

const bytesMax = 5 * 1_024 * 1_024;
const repeated = (unit: string, bytes = bytesMax) => unit.repeat(bytes / unit.length);
const short = (unit: string) => repeated(unit, 256 * 1_024);

test.each([
  ['{"id":9007199254740993}', { id: "9007199254740993" }],
  ['{"id":[12345678901234567890,1]}', { id: ["12345678901234567890", 1] }],
  ['{"id":9007199254740991}', { id: 9007199254740991 }],
  ['{"id": -9007199254740993 }', { id: -9007199254740992 }],
  ['{"id":1.2345678901234567,"e":1234567890123456e3}', { id: 1.2345678901234567, e: 1234567890123456e3 }],
  ['{"12345678901234567890":"a 12345678901234567890 \\" 12345678901234567890 \\\\"}', undefined],
  ['{"a":"\\\\","b":12345678901234567890}', { a: "\\", b: "12345678901234567890" }],
])("keeps the digits of integers that numbers cannot represent, and only those: %s", (text, expected) => {
  expect(parseObject(text)).toEqual(expected ?? JSON.parse(text));
});

test.each(["", "[]", "null", "1", '{"a":', '{"a":01234567890123456789}', '{"a":"12345678901234567890', "\u0000"])(
  "refuses %j",
  (text) => {
    expect(() => parseObject(text)).toThrow("is not a JSON object");
  },
);

test.each([
  ["numbers", `{"a":12345678901234567890,"b":[${short("0,")}0]}`],
  ["objects", `{"a":12345678901234567890,"b":[${short("{},")}0]}`],
  ["strings", `{"a":12345678901234567890,"b":[${short('"",')}0]}`],
  ["pairs of brackets", `{"a":[${short("[],")}0]}`],
])("parses 256 KiB of %s without a reviver, which takes several times as long", (_what, text) => {
  const parse = vi.spyOn(JSON, "parse");
  onTestFinished(() => parse.mockRestore());
  parseObject(text);
  expect(parse.mock.calls).not.toEqual([]);
  for (const call of parse.mock.calls) expect(call).toHaveLength(1);
});

// If the time grew with the square of the length, each would take hours.
test.each([
  ["escapes", `{"a":12345678901234567890,"b":"${repeated("\\\\")}"}`],
  ["long integers", `{"a":[${repeated("12345678901234567890,")}0]}`],
])("parses 5 MiB of %s", (_what, text) => {
  expect(parseObject(text)).toBeTypeOf("object");
});

test("accepts 250,000 values, and refuses a body of more values than any message has", () => {
  expect(parseObject(`{"a":[${"{},".repeat(125_000)}0]}`)).toHaveProperty("a.125000", 0);
  for (const value of ["0", "{}", "[]", '""', '{"b":0}'])
    expect(() => parseObject(`{"a":[${`${value},`.repeat(300_000)}0]}`)).toThrow("is not a JSON object");
});

test.each([
  ["digits", `{"a":${repeated("1")}.}`],
  ["brackets", `{"a":${repeated("[")}${repeated("]")}}`],
  ["an unclosed string", `{"a":12345678901234567890,"b":"${repeated("a")}`],
])("refuses 5 MiB of %s", (_what, text) => {
  expect(() => parseObject(text)).toThrow("is not a JSON object");
});
