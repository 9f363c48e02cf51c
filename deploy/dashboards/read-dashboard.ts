import { readFileSync } from "node:fs";
import { z } from "zod";

const panel = z
  .object({
    type: z.enum(["stat", "timeseries"]),
    title: z.string(),
    /** Full sentences; Grafana shows them as a tooltip in the panel's header. */
    description: z.string(),
    fieldConfig: z.object({
      defaults: z.object({
        unit: z.enum(["reqps", "s", "short", "percentunit", "bytes"]),
        thresholds: z.object({ steps: z.array(z.object({ value: z.number().nullable() })) }),
      }),
    }),
    targets: z.array(z.object({ expr: z.string(), legendFormat: z.string() })),
  })
  .transform(({ type, title, description, fieldConfig: { defaults }, targets }) => ({
    title,
    description,
    unit: defaults.unit,
    /** The value at which a line is drawn, or below which a stat is red. */
    limit: defaults.thresholds.steps[1]?.value ?? undefined,
    /** Whether the panel shows only the latest value. */
    isStat: type === "stat",
    queries: targets.map(({ expr, legendFormat }) => ({ expr, legend: legendFormat })),
  }));
const dashboard = z.object({
  panels: z.array(z.union([z.object({ type: z.literal("row"), title: z.string() }), panel])),
});

/** A panel of the dashboard: a time series or, if `isStat` is true, only the latest value. */
export type Panel = z.output<typeof panel>;

/** The rows of certificate-registry.json with their panels, from top to bottom. */
export const dashboardRows: readonly { readonly title: string; readonly panels: readonly Panel[] }[] = readRows();

function readRows() {
  const text = readFileSync(new URL("certificate-registry.json", import.meta.url), "utf8");
  const rows: { title: string; panels: Panel[] }[] = [];
  for (const part of dashboard.parse(JSON.parse(text)).panels)
    if ("type" in part) rows.push({ title: part.title, panels: [] });
    else rows.at(-1)?.panels.push(part);
  return rows;
}
