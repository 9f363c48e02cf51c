/** An enabled trigger in the store's document. Changes of certificates queue the events that it selects. */
export interface EnabledTrigger {
  readonly id: string;
  /** Empty: all events. */
  readonly events: readonly number[];
}
