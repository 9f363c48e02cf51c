/** Writes what `npm run generate` derives from the services and the chart, besides the texts. */
import { readFile, writeFile } from "node:fs/promises";
import { parseChartValues } from "./chart/chart-values.ts";
import { readComponentDefaults } from "./chart/component-defaults.ts";
import { valuesSchema } from "./chart/values-schema.ts";
import { withValuesTable } from "./chart/values-table.ts";
import { configurationReference } from "./configuration/configuration-reference.ts";
import { accessTable, accessTableHead } from "./contracts/access-table.ts";
import { withSizingTables } from "./sizing/sizing-tables.ts";

const project = new URL("../", import.meta.url);
const chart = new URL("charts/certificate-registry/", project);

await writeFile(new URL("deploy/CONFIGURATION.md", project), configurationReference());
await change(new URL("services/ARCHITECTURE.md", project), withAccessTable);
await change(new URL("deploy/SIZING.md", project), withSizingTables);
const values = parseChartValues(await readFile(new URL("values.yaml", chart), "utf8"));
const schema = valuesSchema(values, readComponentDefaults());
await writeFile(new URL("values.schema.json", chart), `${JSON.stringify(schema, null, 2)}\n`);
await change(new URL("README.md", chart), (readme) => withValuesTable(readme, values));

async function change(file: URL, changed: (text: string) => string): Promise<void> {
  await writeFile(file, changed(await readFile(file, "utf8")));
}

/** Replaces the table in ARCHITECTURE, which ends at the first empty line. @throws Error if there is none */
function withAccessTable(text: string): string {
  const from = text.indexOf(accessTableHead);
  const to = text.indexOf("\n\n", from) + 1;
  if (from === -1 || to === 0)
    throw new Error(`services/ARCHITECTURE.md has no table that begins with ${accessTableHead}`);
  return text.slice(0, from) + accessTable() + text.slice(to);
}
