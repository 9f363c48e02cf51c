import type { Figure, RecordedRun } from "./results-file.ts";

const cellMax = 120;

const preamble = `# Benchmark results

Generated from \`results.json\` by \`npm run bench -- --render\`; \`npm run bench -- --only <part> --record\` measures one part again and records it.

Compare the ratios, not the absolute figures: both sides of a ratio took turns in the same run on the same machine. The
median and the range are those of the rounds. A figure marked "code changed since" was measured before the last change of
the code that it depends on.
`;

/**
 * Returns the content of RESULTS.md.
 *
 * @param hasChanged returns whether code that a part measures has changed since a commit
 * @throws Error for a table cell over 120 characters
 */
export function renderResults(
  runs: readonly RecordedRun[],
  hasChanged: (part: string, commit: string) => boolean,
): string {
  const sections = runs.map((run) => sectionOf(run, hasChanged(run.part, run.commit)));
  return [preamble, ...sections].join("\n");
}

function sectionOf({ part, date, commit, machine, notes, figures }: RecordedRun, isOutdated: boolean): string {
  const { cores, cpu, node, database } = machine;
  const state = isOutdated ? `code changed since ${commit}` : "current";
  const rows = figures.map((figure) => [figure.name, medianOf(figure), rangeOf(figure), figure.aim ?? "", state]);
  return [
    `## ${part}`,
    "",
    `${date}, commit ${commit}, ${cores} cores (${cpu}), Node ${node}, ${database}.`,
    ...notes.flatMap((note) => ["", note]),
    "",
    ...table(["figure", "median", "range", "aim", "state"], rows),
    "",
  ].join("\n");
}

function medianOf({ median, unit }: Figure): string {
  return `${formatted(median)} ${unit === "ratio" ? "" : unit}`.trim();
}

function rangeOf({ min, max }: Figure): string {
  return min === undefined || max === undefined ? "" : `${formatted(min)} – ${formatted(max)}`;
}

function formatted(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: 2 });
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const tooLong = rows.flat().find((cell) => cell.length > cellMax);
  if (tooLong !== undefined) throw new Error(`a cell exceeds ${cellMax} characters: ${tooLong}`);
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(heads), `|${"---|".repeat(heads.length)}`, ...rows.map(line)];
}
