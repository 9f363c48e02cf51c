/** Thrown inside a transaction to roll it back and run it again after a pause. */
export class RetryTransaction extends Error {
  readonly pauseMs: number;

  constructor(pauseMs: number) {
    super("the transaction is to run again");
    this.name = "RetryTransaction";
    this.pauseMs = pauseMs;
  }
}
