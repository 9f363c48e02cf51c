import type { Collections } from "./collections.ts";

/**
 * Returns the time of the latest restore with `pending: "interrupt"`; undefined if there was none. Events queued up to
 * that time must not be sent. Reading it once at startup is enough, because no registry may run during a restore.
 */
export async function readUnsentBefore({ restores }: Pick<Collections, "restores">): Promise<Date | undefined> {
  const [latest] = await restores.find({ pending: "interrupt" }).sort({ at: -1 }).limit(1).toArray();
  return latest?.at;
}
