import type { z } from "zod";
import { flag, integer, seed, stackOptions } from "../../../deploy/local/stack/command-line.ts";

/** Schemas of the options of the overload check. */
export const overloadOptions = {
  seconds: integer(3, 600, "duration of each load; measurements of the capacity are shorter").default(30),
  minutes: integer(0, 10_000, "repeats the overloads until the run has lasted this long").default(0),
  stores: integer(2, 500, "stores that cause the overload, all at once or in turns").default(50),
  others: integer(1, 100, "stores that request pages at a low rate at the same time").default(20),
  connections: integer(10, 20_000, "maximum number of connections of the stores that cause the overload").default(800),
  commandMs: integer(0, 1_000, "minimum duration of a database command; 0: unlimited speed").default(25),
  commandsAtOnce: integer(
    1,
    1_000,
    "maximum number of concurrent database commands; ignored if --command-ms is 0",
  ).default(4),
  registries: integer(1, 10, "registry replicas").default(1),
  edges: integer(1, 10, "edge replicas").default(1),
  short: flag("overloads once, at 10 times the capacity, and judges counts but not latencies and rates"),
  noShedding: flag("switches off load shedding and the return of places; the check is expected to fail"),
  seed,
  ...stackOptions,
};

/** Options of the overload check. */
export type OverloadOptions = z.output<z.ZodObject<typeof overloadOptions>>;
