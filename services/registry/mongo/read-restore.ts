import type { Collections } from "./collections.ts";

/**
 * Returns the time before which events must not be sent: that of the latest restore with `pending: "interrupt"`;
 * undefined without such a restore. Read once at the start: a restore requires that no registry runs.
 */
export async function readUnsentBefore({ restores }: Pick<Collections, "restores">): Promise<Date | undefined> {
  const [latest] = await restores.find({ pending: "interrupt" }).sort({ at: -1 }).limit(1).toArray();
  return latest?.at;
}
