/** The unit in which Grafana formats a panel's values. */
export type Unit = "reqps" | "s" | "short" | "percentunit" | "bytes";

/** A query, which draws one line per series. */
export interface Query {
  /** PromQL. Each selector needs braces, even if empty: the label `installation` is added to them. */
  readonly expr: string;
  /** Legend of each line; `{{code}}` stands for the value of the label `code`. */
  readonly legend: string;
}

/** A panel of the dashboard: a time series or, if `isStat` is true, only the latest value. */
export interface Panel {
  readonly title: string;
  /** Full sentences; Grafana shows them as a tooltip in the panel's header. */
  readonly description: string;
  readonly unit: Unit;
  readonly queries: readonly Query[];
  /** The value at which a line is drawn, or below which a stat is red. Default: none. */
  readonly limit?: number;
  readonly isStat?: boolean;
}

/** A row of panels with a common title. */
export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** Returns the PromQL for the per-second rate of a counter. @param labels label matchers, without braces */
export function rate(metric: string, labels = ""): string {
  return `rate(${metric}{${labels}}[$__rate_interval])`;
}

/** Returns the PromQL that sums an expression by labels. @param labels comma-separated */
export function sumBy(labels: string, expr: string): string {
  return `sum by (${labels}) (${expr})`;
}

/** Returns the PromQL for a quantile of a histogram. @param groups labels by which the lines differ; may be empty */
export function quantile(share: number, histogram: string, groups: string, labels = ""): string {
  const kept = groups === "" ? "le" : `le, ${groups}`;
  return `histogram_quantile(${share}, ${sumBy(kept, rate(`${histogram}_bucket`, labels))})`;
}

/** The requests or calls that a histogram counts. */
export interface Calls {
  readonly histogram: string;
  /** Plural noun for the calls, such as "HTTP requests"; begins the panels' titles. */
  readonly what: string;
  /** The label by which the calls are grouped, such as `route`. */
  readonly group: string;
  /** The label that contains the result of a call, such as `status`. */
  readonly result: string;
  /** The results that are failures of the service, as a regular expression. */
  readonly failures: string;
}

/** Returns the panels for rate, errors and duration (RED). */
export function redPanels({ histogram, what, group, result, failures }: Calls): readonly Panel[] {
  const failed = rate(`${histogram}_count`, `${result}=~"${failures}"`);
  return [
    {
      title: `${what}: rate`,
      description: `${what} per second.`,
      unit: "reqps",
      queries: [{ expr: sumBy(group, rate(`${histogram}_count`)), legend: `{{${group}}}` }],
    },
    {
      title: `${what}: errors`,
      description: `${what} per second that failed with a server-side error.`,
      unit: "reqps",
      queries: [{ expr: sumBy(`${group}, ${result}`, failed), legend: `{{${group}}} {{${result}}}` }],
    },
    {
      title: `${what}: 99th percentile`,
      description: `${what}: the duration that only the slowest 1 % exceed.`,
      unit: "s",
      queries: [{ expr: quantile(0.99, histogram, group), legend: `{{${group}}}` }],
    },
  ];
}
