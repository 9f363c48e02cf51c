import { ConfigError, combineFaults } from "./config-error.ts";

/**
 * Waits for independent checks of a configuration, so that an operator learns of all faults at once.
 *
 * @returns the results of the checks, in their order
 * @throws ConfigError with the faults of all checks that reject with a ConfigError; any other error unchanged
 */
export async function checkTogether<Checks extends readonly Promise<unknown>[]>(checks: readonly [...Checks]) {
  const settled = await Promise.allSettled(checks);
  throwFaults(settled.flatMap((one) => (one.status === "rejected" ? [one.reason] : [])));
  return Promise.all<readonly [...Checks]>(checks);
}

/**
 * Checks each item, even if an earlier one is at fault.
 *
 * @returns the results, in the order of the items
 * @throws ConfigError with the faults of all items whose check throws a ConfigError; any other error unchanged
 */
export function checkEach<Item, Result>(items: readonly Item[], check: (item: Item) => Result): Result[] {
  const errors: unknown[] = [];
  const results = items.flatMap((item) => {
    try {
      return [check(item)];
    } catch (error) {
      errors.push(error);
      return [];
    }
  });
  throwFaults(errors);
  return results;
}

/** Throws a ConfigError with a fault and those that further checks find. */
export function throwTogether(fault: ConfigError, checks: readonly (() => unknown)[]): never {
  const fail = () => {
    throw fault;
  };
  checkEach([fail, ...checks], (check) => check());
  throw fault;
}

function throwFaults(errors: readonly unknown[]): void {
  const [first, ...others] = errors.map((error) => {
    if (error instanceof ConfigError) return error;
    throw error;
  });
  if (first !== undefined) throw combineFaults([first, ...others]);
}
