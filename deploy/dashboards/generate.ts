/** Writes certificate-registry.json; part of `npm run generate`. */
import { writeFile } from "node:fs/promises";
import { grafanaDashboard } from "./grafana-dashboard.ts";

await writeFile(new URL("certificate-registry.json", import.meta.url), grafanaDashboard());
