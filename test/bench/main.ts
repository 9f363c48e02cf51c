/** `npm run bench`: see options.ts for what it can be asked for. */
import { exitOnSignals } from "../check/exit-on-signals.ts";
import { parseBenchOptions, usage } from "./options.ts";
import { runBench } from "./run-bench.ts";

try {
  const options = parseBenchOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(`${usage}\n`);
  else await runBench(options, exitOnSignals());
  // Nothing that was left open may keep the process alive.
  process.exit(0);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(2);
}
