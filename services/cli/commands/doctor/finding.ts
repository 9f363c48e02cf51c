/** The result of one check of `certctl doctor`. */
export interface Finding {
  /** What was checked: `certctl`, `database`, `NATS` or `registry`. A newer registry may send other values. */
  readonly part: string;
  /** The condition that should be true. */
  readonly condition: string;
  readonly state: "ok" | "fault" | "skipped";
  /** The observation, or why the check was skipped. */
  readonly seen: string;
  /** What to do about the fault; empty unless the state is `fault`. */
  readonly remedy: string;
}

/** Returns the finding of a check that certctl makes itself. @param remedy undefined if the condition is true */
export function ownFinding(condition: string, seen: string, remedy?: string): Finding {
  return { part: "certctl", condition, state: remedy === undefined ? "ok" : "fault", seen, remedy: remedy ?? "" };
}
