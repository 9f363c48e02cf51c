import { z } from "zod";
import { commandLine, decimal, seed, stackOptions } from "../../harness/program/command-line.ts";

const schema = z.object({
  minutes: decimal(0.2, 1_440, "duration").default(5),
  rate: decimal(0.1, 1_000, "mutated requests per second").default(20),
  seed,
  ...stackOptions,
});

const notes = `Sends mutated bodies to every route that takes a body, in every second of 20 windows, and requests of 49 other stores in
all of them. Each request of these stores must succeed, the median ratio of their p99 latency in neighboring windows must
be below 1.5, and in no service may a request end with 500, the memory reach 512 MiB, or a turn of the event loop use
more than 200 ms of CPU time.`;

/** Options of the fuzz check. */
export type FuzzOptions = z.output<typeof schema>;

/** Command line of the fuzz check. */
export const fuzzCommand = commandLine("npm run check:fuzz", schema, notes);
