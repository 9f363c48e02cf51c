interface GoalSetup {
  /** Undefined if the goal is a number of items. */
  readonly minutes: number | undefined;
  readonly count: number;
  /** Plural noun for the items to count, such as `changes`. */
  readonly unit: string;
  /** Returns the number of items so far. */
  readonly made: () => number;
}

/** The goal of a check: a number of items, such as changes, or a duration that starts when the goal is created. */
export interface Goal {
  /** Returns the share that has been reached, 0 to 1. */
  share(): number;
  /** Returns the progress, such as `12 of 500 changes` or `12 changes in 1.5 of 30 minutes`. */
  text(): string;
}

/** Creates a goal. Measures time with the monotonic clock. */
export function createGoal({ minutes, count, unit, made }: GoalSetup): Goal {
  if (minutes === undefined) {
    return { share: () => Math.min(1, made() / count), text: () => `${made()} of ${count} ${unit}` };
  }
  const startedAt = performance.now();
  const elapsed = () => (performance.now() - startedAt) / 60_000;
  return {
    share: () => Math.min(1, elapsed() / minutes),
    text: () => `${made()} ${unit} in ${elapsed().toFixed(1)} of ${minutes} minutes`,
  };
}
