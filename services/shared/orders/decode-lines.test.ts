import { expect, test } from "vitest";
import { bytesOf, drain } from "./csv-fixture.ts";
import { decodeLines } from "./decode-lines.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array, chunkBytes = 1_000) => drain(decodeLines(bytesOf(bytes, chunkBytes)));

test("decodes the same text for every chunk size", async () => {
  const text = "\ufeffZoë\n李\r\n\u{1f5bc}";
  for (let chunkBytes = 1; chunkBytes <= encode(text).length; chunkBytes += 1) {
    const { values, failure } = await decode(encode(text), chunkBytes);
    expect(failure).toBeNull();
    expect(values.join("")).toBe(text);
  }
});

test.each([
  ["another encoding", Buffer.from("ok\nok\nZo\u00eb\nok\n", "latin1"), 3],
  ["a character that is cut off at the end", encode("ok\nok\n李").subarray(0, -1), 3],
  ["an overlong form", Uint8Array.of(0xc0, 0x80), 1],
  ["a surrogate", Uint8Array.of(0xed, 0xa0, 0x80), 1],
])("rejects %s after yielding the lines before it, and names the line", async (_name, bytes, line) => {
  const { values, failure } = await decode(bytes);
  expect(values.join("")).toMatch(new RegExp(`^(ok\n){${line - 1}}$`));
  expect(failure).toMatchObject({ name: "ExportError", line });
});

const startOf = (hex: string) => Buffer.concat([Buffer.from(hex.replaceAll(" ", ""), "hex"), Buffer.alloc(40)]);

test.each([
  ["a PNG", startOf("89504e47 0d0a1a0a 0000000d 49484452"), "file_not_csv"],
  ["a JPEG", startOf("ffd8ffe0 00104a46 49460001"), "file_not_csv"],
  ["a workbook in XLSX", startOf("504b0304 14000600 08000000 2100eb9c"), "file_not_csv"],
  ["a workbook in XLS", startOf("d0cf11e0 a1b11ae1 00000000"), "file_not_csv"],
  ["text in UTF-16, little-endian", Buffer.from("\ufeffName,Email\n", "utf16le"), "file_not_utf8"],
  ["text in UTF-16, big-endian", Buffer.from("\ufeffName,Email\n", "utf16le").swap16(), "file_not_utf8"],
  ["text in Latin-1", Buffer.from("Zo\u00eb\n", "latin1"), "file_not_utf8"],
])("says whether %s is text in another encoding or no text", async (_name, bytes, code) => {
  expect((await decode(bytes)).failure).toMatchObject({ reason: { code }, line: code === "file_not_csv" ? null : 1 });
});

test("yields several lines at once, up to 2 KiB, and longer lines in parts", async () => {
  const lengthsOf = async (text: string, chunkBytes: number) =>
    (await decode(encode(text), chunkBytes)).values.map((value) => value.length);
  expect(await lengthsOf("ok\n".repeat(1_000), 3_000)).toEqual([2_046, 954]);
  expect(await lengthsOf(`${"x".repeat(3_000)}\nok\n`, 2_500)).toEqual([2_500, 501, 3]);
});
