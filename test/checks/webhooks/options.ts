import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { wholeNumber } from "../runner/whole-number.ts";
import type { Handling } from "./notifier-task.ts";

/** What the webhook checker was asked for. */
export interface CheckOptions {
  readonly help: boolean;
  /** Events to cause at least; with kills it also goes on until there were enough of them. */
  readonly events: number;
  /** Every random choice follows from it; when things happen does not. */
  readonly seed: number;
  readonly stores: number;
  readonly writers: number;
  readonly notifiers: number;
  readonly handling: Handling;
  readonly kills: boolean;
  /** Notifiers killed at each step, at least. */
  readonly killsPerStep: number;
  /** Mean time between two kills of a server or a registry. */
  readonly killEveryMs: number;
  /** How old a claim without an outcome is when its notifier counts as dead; undefined: as the registry has it. */
  readonly claimLifeMs: number | undefined;
  /** Builds a fast database server first, unless there is one. */
  readonly buildFast: boolean;
  /** Data, logs and the receiver's record stay when the check is over. */
  readonly keep: boolean;
}

/** How the webhook checker is used. */
export const usage = `npm run check:webhooks -- [options]
  --events <n>          events to cause                                     (default 5000)
  --seed <n>            makes the same choices again as an earlier run      (default: random)
  --stores <n>          stores, with receivers of every kind                (default 24)
  --writers <n>         writers, each with one change under way             (default 16)
  --notifiers <n>       notifier replicas                                   (default 3)
  --kills-per-step <n>  notifiers to kill at each marked step               (default 8)
  --kill-every-ms <n>   mean time between two kills of database, NATS or a registry (default 5000)
  --no-kills            nothing is killed
  --claim-life-ms <n>   when a claim without an outcome is interrupted      (default 60000, as in production)
  --ack-first           acknowledges before sending and claims never: must fail
  --ignore-claims       claims, and sends whatever the answer: must fail
  --no-build            take the database server that is there, do not build a fast one first
  --keep                leave data, logs and the receiver's record behind

The last line holds the counts. These must be 0: doubled (events with several POSTs), out_of_order (POSTs after that of a
later event of their certificate), without_outcome, lost (no POST, though the log says neither interrupted nor skipped),
untrue (outcomes that are not what happened, or that changed), wrong (requests that are not an event's signed message).`;

/** Reads the arguments. @throws Error naming the argument at fault */
export function parseCheckOptions(args: readonly string[]): CheckOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", short: "h", default: false },
      events: { type: "string", default: "5000" },
      seed: { type: "string", default: String(randomInt(2 ** 31)) },
      stores: { type: "string", default: "24" },
      writers: { type: "string", default: "16" },
      notifiers: { type: "string", default: "3" },
      "kills-per-step": { type: "string", default: "8" },
      "kill-every-ms": { type: "string", default: "5000" },
      "no-kills": { type: "boolean", default: false },
      "claim-life-ms": { type: "string" },
      "ack-first": { type: "boolean", default: false },
      "ignore-claims": { type: "boolean", default: false },
      "no-build": { type: "boolean", default: false },
      keep: { type: "boolean", default: false },
    },
  });
  const number = (name: string, text: string, min: number, max: number) =>
    wholeNumber(name, text, min, max, usage);
  const claimLife = values["claim-life-ms"];
  return {
    help: values.help,
    events: number("events", values.events, 1, 10_000_000),
    seed: number("seed", values.seed, 0, 2 ** 32 - 1),
    stores: number("stores", values.stores, 1, 1_000),
    writers: number("writers", values.writers, 1, 1_000),
    notifiers: number("notifiers", values.notifiers, 1, 20),
    handling: values["ack-first"] ? "ack-first" : values["ignore-claims"] ? "ignore-claims" : "usual",
    kills: !values["no-kills"],
    killsPerStep: number("kills-per-step", values["kills-per-step"], 1, 1_000),
    killEveryMs: number("kill-every-ms", values["kill-every-ms"], 1, 3_600_000),
    claimLifeMs: claimLife === undefined ? undefined : number("claim-life-ms", claimLife, 10_000, 3_600_000),
    buildFast: !values["no-build"],
    keep: values.keep,
  };
}
