import { parseArgs } from "node:util";
import { z } from "zod";
import { sizeTable } from "./sizing-tables.ts";

const usage = "Usage: npm run sizing -- --stores <n> --certificates <n> --changes <n/s> --pages <n/s>\n";
const option = { type: "string" } as const;
const positive = z.coerce.number().positive();
const optionsSchema = z.object({ stores: positive, certificates: positive, changes: positive, pages: positive });

/**
 * Prints the replicas and servers that a load needs.
 *
 * @returns the exit code: 0 for a load or `--help`, 2 if the command line is invalid
 */
export function runSizing(args: readonly string[]): number {
  if (args.includes("--help") || args.includes("-h")) {
    process.stdout.write(usage);
    return 0;
  }
  const given = parseOptions(args);
  if (given === undefined) {
    process.stderr.write(usage);
    return 2;
  }
  const { stores, certificates, changes, pages } = given;
  const load = { stores, certificates, changesPerSecond: changes, pagesPerSecond: pages };
  process.stdout.write(sizeTable({ yours: load }));
  return 0;
}

function parseOptions(args: readonly string[]): z.output<typeof optionsSchema> | undefined {
  const options = { stores: option, certificates: option, changes: option, pages: option };
  try {
    return optionsSchema.safeParse(parseArgs({ args: [...args], options }).values).data;
  } catch {
    return undefined;
  }
}
