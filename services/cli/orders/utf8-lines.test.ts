import { describe, expect, test } from "vitest";
import { Utf8Lines } from "./utf8-lines.ts";

const encode = (text: string) => new TextEncoder().encode(text);

describe("bytes", () => {
  test("that are UTF-8 are taken whole, wherever they are cut", () => {
    const bytes = encode("\ufeffZoë\n李\r\n\u{1f5bc}");
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const lines = new Utf8Lines();
      expect(lines.take(bytes.subarray(0, cut))).toBe(cut);
      expect(lines.take(bytes.subarray(cut))).toBe(bytes.length - cut);
      expect(lines.end()).toBe(true);
      expect(lines.line).toBe(3);
    }
  });

  test("that are not UTF-8 are taken up to the faulty line, which is named", () => {
    const lines = new Utf8Lines();
    const latin1 = Buffer.from("ok\nok\nZo\u00eb\nok\n", "latin1");
    expect(lines.take(latin1)).toBe(6);
    expect(lines.line).toBe(3);
  });

  test("that end within a character are told at the end", () => {
    const lines = new Utf8Lines();
    expect(lines.take(encode("ok\n李").subarray(0, 5))).toBe(5);
    expect(lines.end()).toBe(false);
    expect(lines.line).toBe(2);
  });

  test("of an overlong or surrogate form are no UTF-8", () => {
    expect(new Utf8Lines().take(Uint8Array.of(0xc0, 0x80))).toBe(0);
    expect(new Utf8Lines().take(Uint8Array.of(0xed, 0xa0, 0x80))).toBe(0);
  });
});
