/** An enabled trigger, in the store's document. Certificate changes queue events for the triggers that select them. */
export interface EnabledTrigger {
  readonly id: string;
  /** Empty if the trigger receives all events. */
  readonly events: readonly number[];
}
