import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";

const folder = new URL("../../charts/certificate-registry/defaults/", import.meta.url);

/** Reads the chart's folder `defaults`: defaults by component, which replace those of `services` and `pods`. */
export function readComponentDefaults(): Readonly<Record<string, unknown>> {
  const files = readdirSync(folder);
  const read = (file: string): unknown => parse(readFileSync(new URL(file, folder), "utf8"));
  return Object.fromEntries(files.map((file) => [path.basename(file, ".yaml"), read(file)]));
}
