import { appendFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openTemporaryFolder } from "../../../test/harness/files/temporary-folder.ts";
import { AppendedLines } from "./follow-file.ts";

async function openLines(text: string) {
  const folder = await openTemporaryFolder("follow-file", onTestFinished);
  const file = path.join(folder, "lines");
  await writeFile(file, text);
  const lines = await AppendedLines.open(file);
  onTestFinished(() => lines.close());
  return { lines, append: (bytes: string | Buffer) => appendFile(file, bytes) };
}

test("returns a line once it is complete, even if it was written within a character", async () => {
  const { lines, append } = await openLines("first\nsec");
  expect(await lines.read()).toEqual(["first"]);
  expect(await lines.read()).toEqual([]);
  const rest = Buffer.from("önd\n");
  await append(rest.subarray(0, 1));
  expect(await lines.read()).toEqual([]);
  await append(rest.subarray(1));
  expect(await lines.read()).toEqual(["secönd"]);
});

test("returns each line of a large file to exactly one of several concurrent reads", async () => {
  const written = Array.from({ length: 3_000 }, (_, index) => `${index} ${"x".repeat(1_000)}`);
  const { lines } = await openLines(written.map((line) => `${line}\n`).join(""));
  const read = await Promise.all(Array.from({ length: 4 }, () => lines.read()));
  expect(read.flat()).toEqual(written);
});
