import { remainingTime } from "#shared/time/remaining-time.ts";
import type { CallLimits } from "../load/call-limits.ts";
import type { ShedReason } from "../load/load-shed-error.ts";
import { ServiceTime } from "../load/service-time.ts";
import type { Change } from "./ledger.ts";

/** A change waiting for a transaction. */
export interface PendingChange {
  readonly change: Change<unknown>;
  readonly limits: CallLimits;
  /** Whether part of the change is committed, so that the change can no longer be dropped. Default false. */
  readonly isBegun?: boolean;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Limits of {@link PendingChanges}. */
export interface PendingBounds {
  /** Maximum number of waiting changes. */
  readonly maxChanges: number;
  /** Maximum number of timestamps that the waiting changes may need together. */
  readonly maxTimestamps: number;
}

/** Called with each change that is dropped. */
type DropChange = (pending: PendingChange, reason: ShedReason) => void;

/** One store's changes waiting for a transaction, in order of arrival. */
export class PendingChanges {
  /** Estimates the duration of the store's transactions from those that have run since the queue was created. */
  readonly transactionTime = new ServiceTime();
  #changes: PendingChange[] = [];
  #timestamps = 0;

  get size(): number {
    return this.#changes.length;
  }

  /** The number of timestamps that the waiting changes may need. */
  get timestamps(): number {
    return this.#timestamps;
  }

  /** Returns whether the change fits within the bounds. A change of any size fits into an empty queue. */
  hasRoomFor({ change }: PendingChange, { maxChanges, maxTimestamps }: PendingBounds): boolean {
    if (this.#changes.length === 0) return true;
    return this.#changes.length < maxChanges && this.#timestamps + change.maxTimestamps <= maxTimestamps;
  }

  add(pending: PendingChange): void {
    this.#changes.push(pending);
    this.#timestamps += pending.change.maxTimestamps;
  }

  /** Puts changes that a transaction left unfinished back at the front of the queue, in the given order. */
  putBack(unfinished: readonly PendingChange[]): void {
    this.#changes = [...unfinished, ...this.#changes];
    this.#timestamps += timestampsOf(unfinished);
  }

  /** Drops changes whose caller has disconnected or whose deadline has passed, unless they are partly committed. */
  dropUseless(now: number, drop: DropChange): void {
    this.#keep((pending) => {
      const reason = uselessBecause(pending, now);
      if (reason !== undefined) drop(pending, reason);
      return reason === undefined;
    });
  }

  /**
   * Removes and returns the changes for the next transaction: the first ones that together need at most
   * `maxTimestamps`, or the first alone if it needs more. Partly committed changes come last in the group, so that they
   * leave timestamps for the others. Drops changes, except partly committed ones, whose caller no longer waits or whose
   * result is expected after their deadline. If the expected duration would cause every change to be dropped, it is
   * ignored: the estimate may be stale, and only a transaction can correct it.
   *
   * @param at `now` is monotonic time; `expectedMs` is the expected duration of the transaction
   */
  takeGroup(maxTimestamps: number, at: { readonly now: number; readonly expectedMs: number }, drop: DropChange) {
    this.dropUseless(at.now, drop);
    const canMeet = ({ limits, isBegun = false }: PendingChange) =>
      isBegun || at.now + at.expectedMs <= limits.deadline;
    if (this.#changes.some(canMeet))
      this.#keep((pending) => {
        const isKept = canMeet(pending);
        if (!isKept) drop(pending, "deadline");
        return isKept;
      });
    const group = this.#changes.splice(0, groupSize(this.#changes, maxTimestamps));
    this.#timestamps -= timestampsOf(group);
    return group.toSorted((a, b) => Number(a.isBegun ?? false) - Number(b.isBegun ?? false));
  }

  #keep(isKept: (pending: PendingChange) => boolean): void {
    this.#changes = this.#changes.filter(isKept);
    this.#timestamps = timestampsOf(this.#changes);
  }
}

function uselessBecause({ limits, isBegun = false }: PendingChange, now: number): ShedReason | undefined {
  if (isBegun) return undefined;
  const left = remainingTime(limits.deadline, now, limits.signal);
  return typeof left === "string" ? left : undefined;
}

function groupSize(changes: readonly PendingChange[], maxTimestamps: number): number {
  let timestamps = 0;
  const tooMany = changes.findIndex(({ change }, index) => {
    timestamps += change.maxTimestamps;
    return index > 0 && timestamps > maxTimestamps;
  });
  return tooMany === -1 ? changes.length : tooMany;
}

/** Returns the total number of timestamps that the changes may need. */
export function timestampsOf(changes: readonly PendingChange[]): number {
  return changes.reduce((total, { change }) => total + change.maxTimestamps, 0);
}
