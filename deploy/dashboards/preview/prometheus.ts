import { z } from "zod";
import type { Panel } from "../read-dashboard.ts";
import type { Series } from "./chart.ts";

const matrix = z.object({
  data: z.object({
    result: z.array(
      z.object({
        metric: z.record(z.string(), z.string()),
        values: z.array(z.tuple([z.number(), z.string()])),
      }),
    ),
  }),
});

const stepSeconds = 10;
const rateInterval = "1m";

/** The Prometheus server, the installation and the period of a preview. */
export interface PreviewRange {
  /** Base URL of Prometheus. */
  readonly prometheus: string;
  /** Value of the label `installation`; the empty string selects series without the label. */
  readonly installation: string;
  /** Length of the period, which ends now. */
  readonly minutes: number;
}

/** Runs a query of the dashboard. @throws Error if Prometheus responds with an error status */
export async function runQuery(
  { expr, legend }: Panel["queries"][number],
  range: PreviewRange,
): Promise<readonly Series[]> {
  const query = expr.replaceAll("$installation", range.installation).replaceAll("$__rate_interval", rateInterval);
  const end = Date.now() / 1_000;
  const parameters = { query, start: String(end - range.minutes * 60), end: String(end), step: String(stepSeconds) };
  const response = await fetch(`${range.prometheus}/api/v1/query_range`, {
    method: "POST",
    body: new URLSearchParams(parameters),
  });
  if (!response.ok)
    throw new Error(`Prometheus responded with ${response.status} to ${query}: ${await response.text()}`);
  const { result } = matrix.parse(await response.json()).data;
  return result.map(({ metric, values }) => ({
    label: legend.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => metric[name] ?? ""),
    points: values
      .map(([seconds, value]) => [seconds, Number(value)] as const)
      .filter(([, value]) => !Number.isNaN(value)),
  }));
}
