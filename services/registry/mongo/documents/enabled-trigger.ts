/**
 * An enabled trigger, as listed in the store's document. A certificate change queues its event for each listed trigger
 * that receives the event's type.
 */
export interface EnabledTrigger {
  readonly id: string;
  /** Empty if the trigger receives all events. */
  readonly events: readonly number[];
}
