import { sum } from "../../harness/statistics.ts";
import { type CheckReport, firstFindings } from "../runner/run-check.ts";
import type { ComparedMirror } from "./compare-mirror.ts";
import type { MirrorsOptions } from "./options.ts";

interface MirrorsReport {
  readonly compared: readonly ComparedMirror[];
  readonly changes: number;
  readonly kills: number;
  readonly stepKills: ReadonlyMap<string, number>;
  /** Why the run ended before its goal; undefined if it reached its goal. */
  readonly endedEarly: string | undefined;
}

/**
 * Reports a run. The run passes when each mirror equals the list and, unless the run ended early, follows the restored
 * feed.
 */
export function reportOf(options: MirrorsOptions, report: MirrorsReport): CheckReport {
  const { compared, changes, kills, stepKills, endedEarly } = report;
  const total = (count: (one: ComparedMirror) => number) => sum(compared.map(count));
  const missing = total((one) => one.missing.length);
  const different = total((one) => one.different.length);
  const phantom = total((one) => one.phantom.length);
  const isComplete = endedEarly === undefined;
  const unnoticed = isComplete ? compared.filter(({ followsRestore }) => !followsRestore).length : 0;
  const findings = compared.flatMap(({ mirror: { kind }, ...difference }) => [
    ...difference.missing.map((id) => `${kind} lacks ${id}`),
    ...difference.different.map((id) => `${kind} has another ${id} than the list`),
    ...difference.phantom.map((id) => `${kind} has ${id}, which the list does not have`),
  ]);
  return {
    lines: [
      ...compared.map(
        ({ mirror, certificates }) =>
          `${mirror.kind}: ${certificates} certificates, ${mirror.messages()} messages, ${mirror.syncs()} catch-ups`,
      ),
      ...(isComplete ? [] : [`ended early (${endedEarly}); the verdict covers the observations so far`]),
      ...firstFindings(findings),
    ],
    json: JSON.stringify({
      seed: options.seed,
      changes,
      missing,
      different,
      phantom,
      unnoticed,
      complete: isComplete,
      kills,
      step_kills: sum(stepKills.values()),
      mirrors: compared.length,
      messages: total(({ mirror }) => mirror.messages()),
      catch_ups: total(({ mirror }) => mirror.syncs()),
      ignore_epoch: options.ignoreEpoch,
      seconds: Math.round(performance.now() / 1_000),
    }),
    passed: missing + different + phantom + unnoticed === 0,
    complete: isComplete,
  };
}
