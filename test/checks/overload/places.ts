import { systemClock } from "#shared/time/clock.ts";
import type { Collections } from "../../../services/registry/mongo/collections.ts";

const unchangedForMs = 500;
const settleWithinMs = 10_000;

/**
 * Reads the number of admissions in each store's window log, by store id. Places may still be being returned: waits
 * until the logs did not change for half a second, at most 10 s.
 */
export async function readPlaces(
  { access }: Pick<Collections, "access">,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const deadline = performance.now() + settleWithinMs;
  for (let last = ""; ; ) {
    const documents = await access.find({}, { projection: { admitted: 1 } }).toArray();
    const places = new Map(documents.map(({ _id, admitted }) => [_id, admitted.length]));
    const text = JSON.stringify([...places]);
    if (text === last || performance.now() >= deadline) return places;
    last = text;
    await systemClock.sleep(unchangedForMs, signal);
    signal.throwIfAborted();
  }
}

/** Empties the window logs, so that each measurement starts with short ones. No request may be in progress. */
export async function clearPlaces({ access }: Pick<Collections, "access">): Promise<void> {
  await access.updateMany({}, { $set: { admitted: [], places: [], decision: null } });
}
