import { z } from "zod";
import { commandLine, integer, seed } from "../../harness/program/command-line.ts";

const schema = z.object({
  requests: integer(1, 10_000_000, "test cases to run; each sends at least one request").default(5_000),
  seed: seed.unwrap().default(1),
});

/** Options of the API check. */
export type ApiOptions = z.output<typeof schema>;

/** Command line of the API check. */
export const apiCommand = commandLine("npm run check:api", schema);
