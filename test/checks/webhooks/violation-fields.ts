import { z } from "zod";
import type { violations } from "./verdict.ts";

/** Schemas of the counts of {@link violations} in a check's last line. */
export const violationFields = {
  doubled: z.int(),
  out_of_order: z.int(),
  without_outcome: z.int(),
  lost: z.int(),
  unexplained: z.int(),
  untrue: z.int(),
  wrong: z.int(),
} satisfies Record<keyof typeof violations, z.ZodType>;

/** The counts of a run without a violation. */
export const noViolations = Object.fromEntries(Object.keys(violationFields).map((name) => [name, 0]));
