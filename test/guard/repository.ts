import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's folder. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
});

/** Every file that is, or can be, committed; paths relative to {@link root}. */
export const files: readonly string[] = listed
  .split("\n")
  .filter((file) => file !== "" && existsSync(path.join(root, file)));

/** The Markdown documents. */
export const documents: readonly string[] = files.filter((file) => file.endsWith(".md"));

/** Whether a file is written by hand rather than generated from a contract. */
export const isHandWritten = (file: string): boolean => !file.startsWith("proto/gen/");

/** The text of a file. */
export function textOf(file: string): string {
  return readFileSync(path.join(root, file), "utf8");
}

/** The rows of the table whose first column has this heading, as cells without code marks. */
export function tableRows(file: string, firstHeading: string): string[][] {
  const table = new RegExp(`^\\| ${firstHeading} \\|.*\\n\\|[-|]+\\n((?:\\|.*\\n)+)`, "m").exec(textOf(file))?.[1];
  if (table === undefined) throw new Error(`${file} has no table whose first column is "${firstHeading}"`);
  return table.trimEnd().split("\n").map(cellsOf);
}

/** The cells of a Markdown table row, without code marks. */
export function cellsOf(row: string): string[] {
  return row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.replaceAll("`", "").trim());
}
