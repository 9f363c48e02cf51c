import { type ImportOrdersOptions, importOrders } from "#shared/orders/import-orders.ts";
import type { ImportProblem, ImportSummary } from "#shared/orders/import-tally.ts";

/** What has been read of a file. */
export interface ReadReport {
  readonly rows: number;
  /** Bytes of the chunks that were read. */
  readonly bytes: number;
  /** Number of problems found so far. */
  readonly problemCount: number;
  /** The problems found since the last report, without those after the first `problemsMax` of the file. */
  readonly problems: readonly ImportProblem[];
}

/** The limits of a {@link ReadOrders}. */
export interface ReadLimits {
  /** Maximum number of units, and of orders; a file with more stops the reading with an error. */
  readonly unitsMax: number;
  /** Maximum number of problems that are reported; further ones are only counted. */
  readonly problemsMax: number;
}

/** Options of {@link ReadOrders}. */
export interface ReadOrdersOptions extends Pick<ImportOrdersOptions, "source" | "issue">, ReadLimits {
  /** Called before each chunk of the source and each batch, and at the end, also after a failure of the file. */
  readonly onReport: (report: ReadReport) => void;
}

/** Reads a file of orders and issues its units, like {@link importOrders}, whose errors it throws. */
export type ReadOrders = (options: ReadOrdersOptions) => Promise<ImportSummary>;

/** {@link ReadOrders} in the thread that calls it. */
export const readOrders: ReadOrders = async ({ source, issue, unitsMax, problemsMax, onReport }) => {
  let [rows, bytes, problemCount] = [0, 0, 0];
  let problems: ImportProblem[] = [];
  const report = () => {
    const found = problems;
    problems = [];
    onReport({ rows, bytes, problemCount, problems: found });
  };
  async function* reported(): AsyncGenerator<Uint8Array> {
    report();
    for await (const chunk of source) {
      yield chunk;
      report();
    }
  }
  try {
    return await importOrders({
      source: reported(),
      issue: (units) => {
        report();
        return issue(units);
      },
      unitsMax,
      onProgress: (progress) => ({ rows, bytes } = progress),
      onProblem: (problem) => {
        if (++problemCount <= problemsMax) problems.push(problem);
      },
    });
  } finally {
    report();
  }
};
