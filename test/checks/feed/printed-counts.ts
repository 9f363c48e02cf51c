import { z } from "zod";

/** Schema of the JSON object in the last line of `npm run check:feed`. */
export const feedCounts = z.strictObject({
  seed: z.int(),
  changes: z.int(),
  missed: z.int(),
  out_of_order: z.int(),
  doubled: z.int(),
  phantom: z.int(),
  kills: z.int(),
  clients: z.int(),
  stores: z.int(),
  seconds: z.int(),
  plain_clock: z.boolean(),
  complete: z.boolean(),
  memory_mb: z.record(z.string(), z.strictObject({ before: z.int().nullable(), after: z.int().nullable() })),
  flat: z.boolean().nullable(),
});
