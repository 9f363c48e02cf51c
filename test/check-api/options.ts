import { parseArgs } from "node:util";

/** What the API check was asked for. */
export interface CheckOptions {
  readonly help: boolean;
  /** Requests that the edge must have served at least. */
  readonly requests: number;
  /** The same requests come again with the same seed. */
  readonly seed: number;
}

/** How the API check is used. */
export const usage = `npm run check:api -- [options]
Attacks a running edge with what schemathesis makes of its OpenAPI document, all checks on.
  --requests <n>  requests that the edge must have served at least (default 5000)
  --seed <n>      makes the same requests again                    (default 1)
Ends with 0 when nothing was found, 1 when something was, 2 when the check could not run, 3 when schemathesis is not to be had.`;

/** Reads the arguments. @throws Error naming the argument at fault */
export function parseCheckOptions(args: readonly string[]): CheckOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", short: "h", default: false },
      requests: { type: "string", default: "5000" },
      seed: { type: "string", default: "1" },
    },
  });
  return {
    help: values.help,
    requests: wholeNumber("requests", values.requests, 1, 10_000_000),
    seed: wholeNumber("seed", values.seed, 0, 2 ** 32 - 1),
  };
}

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max)
    throw new Error(`--${name} ${text} is not a whole number from ${min} to ${max}.\n${usage}`);
  return value;
}
