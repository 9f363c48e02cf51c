/** `npm run check:api`: see options.ts for what it can be asked for. */
import { exitOnSignals } from "../check-feed/exit-on-signals.ts";
import { parseCheckOptions, usage } from "./options.ts";
import { runCheck } from "./run-check.ts";

try {
  const options = parseCheckOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(`${usage}\n`);
  // Nothing that was left open may keep the process alive.
  process.exit(options.help ? 0 : await runCheck(options, exitOnSignals()));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(2);
}
