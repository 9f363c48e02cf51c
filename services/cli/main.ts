#!/usr/bin/env node
import { buildCertctl } from "./certctl.ts";
import { handleClosedOutput } from "./output/print.ts";
import { reportError } from "./output/report-error.ts";

handleClosedOutput();
// Read before the command line is parsed, so that errors in the command line can also be reported as JSON.
const isJson = process.argv.includes("--json");
try {
  await (await buildCertctl(process.argv.slice(2))).parseAsync();
} catch (error) {
  reportError(error, isJson);
}
