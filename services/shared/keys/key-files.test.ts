import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openTemporaryFolder } from "../../../test/harness/files/temporary-folder.ts";
import { ConfigError } from "../config/config-error.ts";
import { readKeyFiles } from "./key-files.ts";

const folder = await openTemporaryFolder("key-files", afterAll);
const file = (name: string, content: string) => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

describe("readKeyFiles", () => {
  test("returns the bytes of the files in order", () => {
    const files = [file("new", `${"n".repeat(32)}\n`), file("old", "o".repeat(40))];
    expect(readKeyFiles("SOME_KEY_FILES", files).map((key) => Buffer.from(key).toString())).toEqual([
      `${"n".repeat(32)}\n`,
      "o".repeat(40),
    ]);
  });

  test("rejects a key of fewer than 32 bytes, naming the file but not showing the key", () => {
    const short = file("short", "s3cret");
    expect(() => readKeyFiles("SOME_KEY_FILES", [file("good", "g".repeat(32)), short])).toThrow(
      new ConfigError(`SOME_KEY_FILES: ${short} has 6 bytes; at least 32 are required`),
    );
  });

  test("rejects an unreadable file, naming it", () => {
    expect(() => readKeyFiles("SOME_KEY_FILES", [join(folder, "absent")])).toThrow(
      /SOME_KEY_FILES: .*absent cannot be read/,
    );
  });

  test("rejects an empty list", () => {
    expect(() => readKeyFiles("SOME_KEY_FILES", [])).toThrow(ConfigError);
  });
});
