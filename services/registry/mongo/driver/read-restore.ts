import type { Restores } from "../../deliveries/claim-deliveries.ts";
import type { Collections } from "../documents/collections.ts";

/**
 * Reads the restores, and the feed's epoch: the empty string before the first restore. Reading them once at startup is
 * enough, because no registry may run during a restore.
 */
export async function readRestores({ restores }: Pick<Collections, "restores">): Promise<Restores & { epoch: string }> {
  const found = await restores.find({}).toArray();
  const latestFirst = found.toSorted((one, other) => other.number - one.number);
  const interrupting = latestFirst.findIndex(({ pending }) => pending === "interrupt");
  const epochs = latestFirst.map(({ _id }) => _id);
  const sendable = interrupting === -1 ? [...epochs, ""] : epochs.slice(0, interrupting + 1);
  const unsentBefore = latestFirst[interrupting]?.at;
  return { epoch: epochs[0] ?? "", sendableEpochs: new Set(sendable), unsentBefore };
}
