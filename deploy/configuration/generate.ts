import { writeFile } from "node:fs/promises";
import { configurationReference } from "./configuration-reference.ts";

await writeFile(new URL("../CONFIGURATION.md", import.meta.url), configurationReference());
