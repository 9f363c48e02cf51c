/** `npm run check:load`: see options.ts for what it can be asked for. */
import { exitOnSignals } from "../check-feed/exit-on-signals.ts";
import { parseLoadOptions, usage } from "./options.ts";
import { runLoad } from "./run-load.ts";

try {
  const options = parseLoadOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(`${usage}\n`);
  // Nothing that was left open may keep the process alive.
  process.exit(options.help ? 0 : await runLoad(options, exitOnSignals()));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(2);
}
