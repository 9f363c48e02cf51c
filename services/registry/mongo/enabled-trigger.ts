/** An enabled trigger in the store's document. A change to a certificate queues its event if the trigger selects it. */
export interface EnabledTrigger {
  readonly id: string;
  /** Empty: all events. */
  readonly events: readonly number[];
}
