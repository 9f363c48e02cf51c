/** Prints the replicas and servers that a load needs. */
import { parseArgs } from "node:util";
import { z } from "zod";
import { sizeTable } from "./sizing-tables.ts";

const option = { type: "string" } as const;
const positive = z.coerce.number().positive();
const optionsSchema = z.object({ stores: positive, certificates: positive, changes: positive, pages: positive });

const { values } = parseArgs({ options: { stores: option, certificates: option, changes: option, pages: option } });
const parsed = optionsSchema.safeParse(values);
if (parsed.success) {
  const { stores, certificates, changes, pages } = parsed.data;
  const load = { stores, certificates, changesPerSecond: changes, pagesPerSecond: pages };
  process.stdout.write(sizeTable({ yours: load }));
} else {
  process.stderr.write("Usage: npm run sizing -- --stores <n> --certificates <n> --changes <n/s> --pages <n/s>\n");
  process.exitCode = 2;
}
