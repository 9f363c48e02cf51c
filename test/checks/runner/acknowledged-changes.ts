import { systemClock } from "#shared/time/clock.ts";

/** A change that the registry confirmed to a writer. */
export interface AcknowledgedChange {
  readonly certificateId: string;
  /** Undefined when the response does not contain the time of the change. */
  readonly updatedAt?: string;
}

/** A change with the time at which the writer received the confirmation. */
export interface ConfirmedChange extends AcknowledgedChange {
  readonly confirmedAt: string;
}

/** All changes that the registry confirmed to writers. The feed check verifies that none is lost. */
export class AcknowledgedChanges {
  readonly byStore = new Map<string, ConfirmedChange[]>();
  count = 0;

  add(storeId: string, changes: readonly AcknowledgedChange[]): void {
    this.count += changes.length;
    const known = this.byStore.get(storeId) ?? [];
    this.byStore.set(storeId, known);
    const confirmedAt = new Date(systemClock.now()).toISOString();
    known.push(...changes.map((change) => ({ ...change, confirmedAt })));
  }
}
