import { type CheckStack, startCheckStack } from "./check-stack.ts";
import { createCheckedStore } from "./checked-store.ts";
import { choicesOf } from "./choices.ts";
import { createClients } from "./clients.ts";
import { Killer } from "./killer.ts";
import type { CheckOptions } from "./options.ts";
import { forgetUniqueTimes } from "./plain-clock.ts";
import { type RunReport, reportLines } from "./report.ts";
import { settle } from "./settle.ts";
import { Tally } from "./tally.ts";
import { Told } from "./told.ts";
import { judge } from "./verdict.ts";
import { writeAndFollow } from "./write-and-follow.ts";

const limitMs = ({ changes }: CheckOptions) => 180_000 + 30 * changes;

/**
 * One run of the feed checker. The first line on standard output is the seed, the last one a JSON object with the counts;
 * what is for people goes to standard error.
 *
 * @returns the exit code: 0 when no client missed anything
 * @throws Error when the run could not be made
 */
export async function runCheck(options: CheckOptions, signal: AbortSignal): Promise<number> {
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  print(`seed ${options.seed}`);
  const startedAt = performance.now();
  const limit = AbortSignal.timeout(limitMs(options));
  const over = AbortSignal.any([signal, limit]);
  const stack = await startCheckStack(options, over, say);
  try {
    const report = await runOn(stack, options, over, say);
    const { lines, json, isGood } = reportLines(options, report, performance.now() - startedAt);
    for (const line of lines) say(line);
    print(json);
    return isGood ? 0 : 1;
  } finally {
    await stack.close();
  }
}

async function runOn(
  stack: CheckStack,
  options: CheckOptions,
  over: AbortSignal,
  say: (line: string) => void,
): Promise<RunReport> {
  const { registries, parts, collections, edgeUrls } = stack;
  const { seed } = options;
  const choices = choicesOf(seed, "killer and stores");
  if (options.plainClock) await forgetUniqueTimes(collections);
  const create = () => createCheckedStore(choices.pick(registries));
  const stores = await Promise.all(Array.from({ length: options.stores }, create));
  const replies = new Tally();
  const calls = new Tally();
  const told = new Told();
  const clients = createClients({ count: options.clients, seed, stores, edgeUrls, tally: replies });
  const killer = options.kills
    ? new Killer({ parts, random: choices, everyMs: options.killEveryMs })
    : undefined;
  await writeAndFollow({ options, stores, registries, clients, killer, told, calls, over, say });
  const { truth, unfinished } = await settle(clients, collections, over);
  const checked = clients.map(({ setup, copy, pages, outOfOrder }) => ({
    ...setup,
    copy,
    pages,
    outOfOrder,
  }));
  const verdict = judge({ truth, clients: checked, told: told.changes });
  return { truth, unfinished, verdict, kills: killer?.kills ?? 0, replies, calls };
}
