#!/usr/bin/env node
import { buildCertctl } from "./certctl.ts";
import { handleClosedOutput } from "./closed-output.ts";

handleClosedOutput();
await buildCertctl().parseAsync();
