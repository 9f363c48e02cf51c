import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The absolute path of the repository. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
});

/** Every existing file that Git tracks or does not ignore, except links to folders; relative to {@link root}. */
export const files: readonly string[] = listed
  .split("\n")
  .filter((file) => statSync(path.join(root, file), { throwIfNoEntry: false })?.isFile() === true);

export const documents: readonly string[] = files.filter((file) => file.endsWith(".md"));

/** Returns whether a file is written by hand rather than generated from a contract. */
export const isHandWritten = (file: string): boolean => !file.startsWith("proto/gen/");

/** Reads a file by its path relative to {@link root}. */
export function textOf(file: string): string {
  return readFileSync(path.join(root, file), "utf8");
}

/** Returns the number of lines of a file. */
export function lineCount(file: string): number {
  return textOf(file).split("\n").length - 1;
}

/** Returns the cells of each row of the table whose first column has this heading, without backticks. */
export function tableRows(file: string, firstHeading: string): string[][] {
  const table = new RegExp(`^\\| ${firstHeading} \\|.*\\n\\|[-|]+\\n((?:\\|.*\\n)+)`, "m").exec(textOf(file))?.[1];
  if (table === undefined) throw new Error(`${file} has no table whose first column is "${firstHeading}"`);
  return table.trimEnd().split("\n").map(cellsOf);
}

/** Returns the cells of a Markdown table row, without backticks. */
export function cellsOf(row: string): string[] {
  return row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.replaceAll("`", "").trim());
}
