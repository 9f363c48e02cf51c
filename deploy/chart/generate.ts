/** Writes values.schema.json and the tables of values in the chart's README; part of `npm run generate`. */
import { readFile, writeFile } from "node:fs/promises";
import { parseChartValues } from "./chart-values.ts";
import { readComponentDefaults } from "./component-defaults.ts";
import { valuesSchema } from "./values-schema.ts";
import { withValuesTable } from "./values-table.ts";

const chart = new URL("../../charts/certificate-registry/", import.meta.url);
const readme = new URL("README.md", chart);

const values = parseChartValues(await readFile(new URL("values.yaml", chart), "utf8"));
const schema = valuesSchema(values, readComponentDefaults());
await writeFile(new URL("values.schema.json", chart), `${JSON.stringify(schema, null, 2)}\n`);
await writeFile(readme, withValuesTable(await readFile(readme, "utf8"), values));
