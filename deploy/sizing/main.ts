import { runSizing } from "./run-sizing.ts";

process.exitCode = runSizing(process.argv.slice(2));
