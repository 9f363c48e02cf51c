import type { Collections } from "./collections.ts";

/**
 * Returns the time of the latest restore whose earlier events must not be sent; undefined if there was none. Read once
 * at the start: a restore requires that no registry runs.
 */
export async function readUnsentBefore({ restores }: Pick<Collections, "restores">): Promise<Date | undefined> {
  const [latest] = await restores.find({ pending: "interrupt" }).sort({ at: -1 }).limit(1).toArray();
  return latest?.at;
}
