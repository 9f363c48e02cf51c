import { z } from "zod";

/** What a load process is told: first its setup, then rounds. */
export const loadRequest = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("open"), setup: z.unknown() }),
  z.object({ kind: z.literal("round"), durationMs: z.number() }),
]);

/** What it answers a round with. */
export const loadRound = z.object({
  units: z.number(),
  /** From the start to the end of what was begun last. */
  elapsedMs: z.number(),
});

/** One of the {@link loadRequest}s. */
export type LoadRequest = z.output<typeof loadRequest>;

/** What one round of a load brought. */
export type LoadRound = z.output<typeof loadRound>;
