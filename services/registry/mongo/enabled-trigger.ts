/** An enabled trigger, as the store's document names it: changes of certificates queue the events that it selects. */
export interface EnabledTrigger {
  readonly id: string;
  /** Empty: all events. */
  readonly events: readonly number[];
}
