import { describe, expect, test } from "vitest";
import { isWellQuoted } from "./well-quoted.ts";

describe("quotation marks in a record", () => {
  test.each(["", "a,b", '"a",b', 'a,"b"', '""', '"",""', '"a ""b"" c",d', '"a,b","c\nd"', '""""', 'a,,"",b'])(
    "are in place in %j",
    (record) => {
      expect(isWellQuoted(record)).toBe(true);
    },
  );

  test.each(['a"b', 'a,b"', '"a"b,c', '"a" ,b', '"a', 'a,"b', '"""', 'a ""b""', ' "a"'])(
    "are out of place in %j",
    (record) => {
      expect(isWellQuoted(record)).toBe(false);
    },
  );
});
