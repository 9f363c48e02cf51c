import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { wholeNumber } from "../runner/whole-number.ts";

/** What the feed checker was asked for. */
export interface CheckOptions {
  readonly help: boolean;
  /** Changes to make at least; with kills it also goes on until every part was killed once. */
  readonly changes: number;
  /** Every random choice follows from it; when things happen does not. */
  readonly seed: number;
  readonly stores: number;
  readonly writers: number;
  readonly clients: number;
  /** The registries take their times from `new Date()`. */
  readonly plainClock: boolean;
  readonly kills: boolean;
  /** Mean time between two kills. */
  readonly killEveryMs: number;
  /** Builds a fast database server first, unless there is one. */
  readonly buildFast: boolean;
  /** Data and logs stay when the check is over. */
  readonly keep: boolean;
}

/** How the feed checker is used. */
export const usage = `npm run check:feed -- [options]
  --changes <n>        changes to make                                       (default 5000)
  --seed <n>           makes the same choices again as an earlier run        (default: random)
  --stores <n>         stores                                                (default 6)
  --writers <n>        writers, each with one change under way               (default 32)
  --clients <n>        integrators; every store has one that reads all of it (default 15)
  --kill-every-ms <n>  mean time between two kills                           (default 1500)
  --no-kills           nothing is killed
  --plain-clock        times are new Date(), as in most systems: must fail; nothing is killed
  --no-build           take the database server that is there, do not build a fast one first
  --keep               leave data and logs behind`;

/** Reads the arguments. @throws Error naming the argument at fault */
export function parseCheckOptions(args: readonly string[]): CheckOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", short: "h", default: false },
      changes: { type: "string", default: "5000" },
      seed: { type: "string", default: String(randomInt(2 ** 31)) },
      stores: { type: "string", default: "6" },
      writers: { type: "string", default: "32" },
      clients: { type: "string", default: "15" },
      "kill-every-ms": { type: "string", default: "1500" },
      "no-kills": { type: "boolean", default: false },
      "plain-clock": { type: "boolean", default: false },
      "no-build": { type: "boolean", default: false },
      keep: { type: "boolean", default: false },
    },
  });
  const stores = wholeNumber("stores", values.stores, 1, 1_000, usage);
  return {
    help: values.help,
    changes: wholeNumber("changes", values.changes, 1, 100_000_000, usage),
    seed: wholeNumber("seed", values.seed, 0, 2 ** 32 - 1, usage),
    stores,
    writers: wholeNumber("writers", values.writers, 1, 1_000, usage),
    clients: wholeNumber("clients", values.clients, stores, 10_000, usage),
    plainClock: values["plain-clock"],
    kills: !values["no-kills"] && !values["plain-clock"],
    killEveryMs: wholeNumber("kill-every-ms", values["kill-every-ms"], 1, 3_600_000, usage),
    buildFast: !values["no-build"],
    keep: values.keep,
  };
}
