/**
 * `npm run servers`: finds or installs the database and NATS servers without starting them, and prints the selected
 * ones. `--fast` allows building the fast stand-in for MongoDB, which takes minutes.
 */
import { findDatabase } from "./database-program.ts";
import { withoutCredentials } from "./external-server.ts";
import { findNats } from "./find-nats.ts";
import type { Program } from "./program.ts";
import { SetupError } from "./setup-error.ts";

const print = (line: string) => void process.stdout.write(`${line}\n`);

function describe(found: { uri: string } | Program): string {
  return "uri" in found ? withoutCredentials(found.uri) : `${found.kind} (${found.path})`;
}

async function fetchServers(args: string[]): Promise<void> {
  const unknown = args.find((arg) => arg !== "--fast");
  if (unknown !== undefined) throw new SetupError(`Unknown argument ${unknown}. Usage: npm run servers -- [--fast]`);
  const context = { env: process.env, log: print, signal: undefined };
  const database = await findDatabase(context, { buildFast: args.includes("--fast") });
  const nats = await findNats(context);
  print(`Database: ${describe(database)}`);
  print(`NATS:     ${describe(nats)}`);
}

try {
  await fetchServers(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
