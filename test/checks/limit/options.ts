import { parseArgs } from "node:util";
import type { RateLimitPolicy } from "../../../services/registry/stores/admission.ts";
import { wholeNumber } from "../runner/whole-number.ts";

/** What the limit check was asked for. */
export interface LimitOptions {
  readonly help: boolean;
  readonly stores: number;
  /** How many times the limit each store asks for. */
  readonly times: number;
  readonly seconds: number;
  /** What the replies are held against. */
  readonly policy: RateLimitPolicy;
  /** The limit that the registry is given; another one than the policy's must be found out. */
  readonly limitOfRegistry: number;
  /** Requests under way at the same time, at the most. */
  readonly concurrency: number;
  /** Builds a fast database server first, unless there is one. */
  readonly buildFast: boolean;
  /** Data and logs stay when the check is over. */
  readonly keep: boolean;
}

/** How the limit check is used. */
export const usage = `npm run check:limit -- [options]
  --stores <n>             stores, each with a key                        (default 50)
  --times <n>              how many times its limit each store asks for   (default 20)
  --seconds <n>            how long                                       (default 600)
  --limit <n>              requests that a window admits                  (default 120)
  --window-ms <n>          the window                                     (default 60000)
  --limit-of-registry <n>  what the registry takes for the limit; another one than --limit must fail
  --concurrency <n>        requests under way at the same time            (default 192)
  --no-build               take the database server that is there, do not build a fast one first
  --keep                   leave data and logs behind`;

/** Reads the arguments. @throws Error naming the argument at fault */
export function parseLimitOptions(args: readonly string[]): LimitOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", short: "h", default: false },
      stores: { type: "string", default: "50" },
      times: { type: "string", default: "20" },
      seconds: { type: "string", default: "600" },
      limit: { type: "string", default: "120" },
      "window-ms": { type: "string", default: "60000" },
      "limit-of-registry": { type: "string" },
      concurrency: { type: "string", default: "192" },
      "no-build": { type: "boolean", default: false },
      keep: { type: "boolean", default: false },
    },
  });
  const number = (name: string, text: string, max: number) => wholeNumber(name, text, 1, max, usage);
  const limit = number("limit", values.limit, 10_000);
  const ofRegistry = values["limit-of-registry"] ?? values.limit;
  return {
    help: values.help,
    stores: number("stores", values.stores, 1_000),
    times: number("times", values.times, 1_000),
    seconds: number("seconds", values.seconds, 86_400),
    policy: { limit, windowMs: wholeNumber("window-ms", values["window-ms"], 1_000, 3_600_000, usage) },
    limitOfRegistry: number("limit-of-registry", ofRegistry, 10_000),
    concurrency: number("concurrency", values.concurrency, 10_000),
    buildFast: !values["no-build"],
    keep: values.keep,
  };
}
