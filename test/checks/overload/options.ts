import { z } from "zod";
import { commandLine, flag, integer, seed, stackOptions } from "../../harness/program/command-line.ts";

const schema = z.object({
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
});

const notes = `The last line of the output contains the counts. The check fails unless:
  goodput_ratio          at least 0.9: complete pages per second under overload, divided by the capacity
  other_store_p99_ratio  less than 2: p99 of the other stores, divided by their p99 at 80 % of the capacity
  places_lost            0: places of the rate limit used by requests that got neither a page nor a 400; a client that
                         disconnects may use one
  relay_leases_lost      0: times that the relay stopped leading`;

/** Options of the overload check. */
export type OverloadOptions = z.output<typeof schema>;

/** Command line of the overload check. */
export const overloadCommand = commandLine("npm run check:overload", schema, notes);
