/** A problem that a linter reports about a Kubernetes object. */
export interface Finding {
  /** Identifier of the linter's check. */
  readonly check: string;
  /** Kind and name of the object, such as `Service/edge`. */
  readonly object: string;
  readonly message: string;
}
