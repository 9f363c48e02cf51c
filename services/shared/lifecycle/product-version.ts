import { readFileSync } from "node:fs";
import { z } from "zod";

const packageFile = new URL("../../../package.json", import.meta.url);

/** The version of this release, such as `0.1.0`: that of package.json, which every image contains. */
export const productVersion = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(packageFile, "utf8"))).version;
