import { readFile, writeFile } from "node:fs/promises";
import { accessTable, accessTableHead } from "./access-table.ts";

// Replaces the table in ARCHITECTURE, which ends at the first empty line.
const file = new URL("../../services/ARCHITECTURE.md", import.meta.url);
const text = await readFile(file, "utf8");
const from = text.indexOf(accessTableHead);
const to = text.indexOf("\n\n", from) + 1;
if (from === -1 || to === 0)
  throw new Error(`services/ARCHITECTURE.md has no table that begins with ${accessTableHead}`);
await writeFile(file, text.slice(0, from) + accessTable() + text.slice(to));
