/** Writes the tables of SIZING.md; part of `npm run generate`. */
import { readFile, writeFile } from "node:fs/promises";
import { withSizingTables } from "./sizing-tables.ts";

const document = new URL("../SIZING.md", import.meta.url);

await writeFile(document, withSizingTables(await readFile(document, "utf8")));
