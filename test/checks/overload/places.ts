import { systemClock } from "#shared/time/clock.ts";
import type { Collections } from "../../../services/registry/mongo/documents/collections.ts";
import { admissionTimesOf } from "../../harness/admitted-requests.ts";

/** Number of admissions in the window logs, by store id. */
export type AdmittedCounts = ReadonlyMap<string, number>;

interface ReadOptions {
  /** Returns whether the logs contain only requests that count against the limit. */
  readonly isSettled: (admitted: AdmittedCounts) => boolean;
  /** Time limit in milliseconds, after which the logs are read for the last time. */
  readonly withinMs: number;
  readonly signal: AbortSignal;
}

const pollEveryMs = 500;

/**
 * Reads the window logs until they are settled or the time is up: the registry removes failed requests from the logs in
 * the background.
 */
export async function readPlaces(
  { access }: Pick<Collections, "access">,
  { isSettled, withinMs, signal }: ReadOptions,
): Promise<AdmittedCounts> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    signal.throwIfAborted();
    const documents = await access.find({}, { projection: { admitted: 1 } }).toArray();
    const admitted = new Map(documents.map(({ _id, admitted: log }) => [_id, admissionTimesOf(log).length]));
    if (isSettled(admitted) || performance.now() >= deadline) return admitted;
    await systemClock.sleep(pollEveryMs, signal);
  }
}

/** Empties the window logs, so that they show only the next measurement. No request may be in progress. */
export async function clearPlaces({ access }: Pick<Collections, "access">): Promise<void> {
  await access.updateMany({}, { $set: { admitted: [], decision: null } });
}
