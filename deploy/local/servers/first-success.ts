import { SetupError } from "./setup-error.ts";

/**
 * Runs attempts in order and returns the result of the first that succeeds. Logs the SetupError of each that fails.
 *
 * @param failure a sentence that states what is unavailable and the remedy
 * @throws SetupError with `failure` and every attempt's error when all fail; any other error immediately
 */
export async function firstSuccess<T>(
  attempts: readonly (() => Promise<T>)[],
  log: (line: string) => void,
  failure: string,
): Promise<T> {
  const failures: string[] = [];
  for (const attempt of attempts) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof SetupError)) throw error;
      log(error.message);
      failures.push(`\n  ${error.message}`);
    }
  }
  throw new SetupError(`${failure} Attempts:${failures.join("")}`);
}
