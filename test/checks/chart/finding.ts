/** A problem of an object that a linter reports. */
export interface Finding {
  /** Identifier of the linter's check. */
  readonly check: string;
  /** Kind and name of the object. */
  readonly object: string;
  readonly message: string;
}
