import type { z } from "zod";
import { integer } from "../../../deploy/local/stack/command-line.ts";

/** Schemas of the options of the load check. */
export const loadOptions = {
  connections: integer(1, 50_000, "slow and silent connections; requires a sufficient ulimit -n").default(10_000),
  addresses: integer(1, 250, "addresses of 127.0.0.0/8 from which the slow connections are opened").default(20),
  seconds: integer(1, 300, "duration of each of the two measurements").default(20),
  clients: integer(1, 100, "regular clients, each with one request at a time").default(10),
};

/** Options of the load check. */
export type LoadOptions = z.output<z.ZodObject<typeof loadOptions>>;
