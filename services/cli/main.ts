#!/usr/bin/env node
import { buildCertctl } from "./certctl.ts";

await buildCertctl(process.env).parseAsync();
