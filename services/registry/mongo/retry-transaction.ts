/** Thrown inside a transaction to roll it back and retry it after a pause. */
export class RetryTransaction extends Error {
  readonly pauseMs: number;

  constructor(pauseMs: number) {
    super("the transaction must be retried");
    this.name = "RetryTransaction";
    this.pauseMs = pauseMs;
  }
}
