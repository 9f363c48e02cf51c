/** Writes objectives.rules.yaml; part of `npm run generate`. */
import { writeFile } from "node:fs/promises";
import { burnRateRules } from "./burn-rate-rules.ts";

await writeFile(new URL("objectives.rules.yaml", import.meta.url), burnRateRules());
