import { parseArgs } from "node:util";
import { wholeNumber } from "../runner/whole-number.ts";

/** What the API check was asked for. */
export interface CheckOptions {
  readonly help: boolean;
  /** Test cases to make at least; each is one request or more. */
  readonly requests: number;
  /** The same test cases come again with the same seed. */
  readonly seed: number;
}

/** How the API check is used. */
export const usage = `npm run check:api -- [options]
  --requests <n>  requests to make at least         (default 5000)
  --seed <n>      makes the same ones as another run (default 1)`;

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
    requests: wholeNumber("requests", values.requests, 1, 10_000_000, usage),
    seed: wholeNumber("seed", values.seed, 0, 2 ** 32 - 1, usage),
  };
}
