import { z } from "zod";
import { commandLine, integer, stackOptions } from "../../harness/program/command-line.ts";

const schema = z.object({
  stores: integer(1, 1_000, "stores, each with one API key").default(50),
  times: integer(1, 1_000, "request rate of each store, as a multiple of its limit").default(20),
  seconds: integer(1, 86_400, "duration").default(600),
  limit: integer(1, 10_000, "requests that a window admits").default(120),
  windowMs: integer(1_000, 3_600_000, "length of the window").default(60_000),
  limitOfRegistry: integer(
    1,
    10_000,
    "limit given to the registry; the check is expected to fail when it differs from --limit",
  ).optional(),
  concurrency: integer(1, 10_000, "maximum number of requests in progress").default(192),
  ...stackOptions,
});

/** Options of the limit check. */
export type LimitOptions = z.output<typeof schema>;

/** Command line of the limit check. */
export const limitCommand = commandLine("npm run check:limit", schema);
