import { availableParallelism, cpus } from "node:os";
import type { Spread } from "./compare.ts";
import { shortFigures } from "./dotted-figures.ts";
import type { BenchOptions } from "./options.ts";
import type { Findings } from "./parts/part.ts";

/** Formats a part's findings as a table. @returns the lines of the table */
export function tableOf(findings: Findings): string[] {
  return Object.values(findings).flatMap(({ title, sides, shareOf, numbers = {} }) => [
    "",
    title,
    ...Object.entries(sides).map(([name, { perSecond, cpuMicrosPerUnit }]) => {
      const share = shareOf[name];
      return [
        `  ${name.padEnd(17)}`,
        `${spread(perSecond, 0)}/s`.padEnd(24),
        (share === undefined ? "" : `service ÷ this: ${spread(share, 2)}`).padEnd(38),
        `CPU µs per unit: ${Object.entries(cpuMicrosPerUnit)
          .map(([process, micros]) => `${process} ${Math.round(micros)}`)
          .join(", ")}`,
      ].join(" ");
    }),
    ...Object.entries(numbers).map(
      ([name, value]) =>
        `  ${name.padEnd(29)} ${typeof value === "number" ? Number(value.toPrecision(3)) : spread(value, 2)}`,
    ),
  ]);
}

/** Returns this machine's core count, CPU model and Node version. */
export function machineOf() {
  return { cores: availableParallelism(), cpu: cpus()[0]?.model ?? "", node: process.version };
}

/**
 * Formats all figures as one line of JSON with dotted names (see dotted-figures.ts); a figure that could not be
 * measured is `null`. The members `run.…` describe the machine and the options.
 */
export function jsonOf(options: BenchOptions, database: string, parts: Readonly<Record<string, Findings>>): string {
  const { rounds, roundMs, stores } = options;
  const run = { ...machineOf(), database, rounds, seconds: roundMs / 1_000, stores };
  const described = Object.entries(run).map(([name, value]) => [`run.${name}`, value] as const);
  return JSON.stringify({ ...Object.fromEntries(described), ...shortFigures(parts) });
}

function spread({ median, min, max }: Spread, digits: number): string {
  const text = (value: number) => value.toFixed(digits);
  return `${text(median)} (${text(min)}–${text(max)})`;
}
