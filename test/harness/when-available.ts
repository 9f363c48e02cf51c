import { retryWhileUnavailable } from "../../services/cli/registry-client/retry-while-unavailable.ts";

/**
 * Makes a call that prepares a test, and repeats it for a minute while the registry reports that it is unavailable: on
 * a busy machine, a call's commands take longer than their limits permit. Not for the calls that a test judges.
 */
export const whenAvailable = <T>(call: () => Promise<T>): Promise<T> =>
  retryWhileUnavailable(call, 60_000, () => undefined);
