import { z } from "zod";

const figure = z.strictObject({
  name: z.string(),
  /** Unit of the values, such as `1/s` or `ms`; `ratio` or the empty string for values without a unit. */
  unit: z.string().default(""),
  median: z.number(),
  min: z.number().optional(),
  max: z.number().optional(),
  /** Target value, such as `≥ 0.8`. */
  aim: z.string().optional(),
});

const run = z.strictObject({
  /** A part of the benchmark, or a check such as `check:limit`. */
  part: z.string(),
  date: z.iso.date(),
  /** Abbreviated hash of the measured commit. */
  commit: z.string(),
  machine: z.strictObject({ cores: z.int(), cpu: z.string(), node: z.string(), database: z.string() }),
  /** Conditions of the measurement. */
  notes: z.array(z.string()).default([]),
  figures: z.array(figure),
});

/** The content of test/bench/results.json: the last run of each part or check. */
export const resultsSchema = z.strictObject({ runs: z.array(run) });

/** A measured figure; `min` and `max` are absent for a single value. */
export type Figure = z.output<typeof figure>;

/** The figures of one part or check from one measurement. */
export type RecordedRun = z.output<typeof run>;
