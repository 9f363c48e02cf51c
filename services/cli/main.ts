#!/usr/bin/env node
import { buildCertctl } from "./certctl.ts";
import { handleClosedOutput } from "./closed-output.ts";
import { reportError } from "./output/report-error.ts";

handleClosedOutput();
// Read before the command line is parsed, so that errors in the command line can also be reported as JSON.
const isJson = process.argv.includes("--json");
try {
  await buildCertctl(isJson).parseAsync();
} catch (error) {
  reportError(error, isJson);
}
