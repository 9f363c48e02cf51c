import type { Collections } from "./collections.ts";

/**
 * Returns the time of the latest restore that may have lost claims; undefined if there was none. Events from before
 * this time must not be sent. Read once at the start: a restore requires that no registry runs.
 */
export async function readUnsentBefore({ restores }: Pick<Collections, "restores">): Promise<Date | undefined> {
  const [latest] = await restores.find({ pending: "interrupt" }).sort({ at: -1 }).limit(1).toArray();
  return latest?.at;
}
