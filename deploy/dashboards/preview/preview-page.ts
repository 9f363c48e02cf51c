import { dashboardRows, type Panel } from "../read-dashboard.ts";
import { escapeHtml, lineChart, type Series } from "./chart.ts";
import { type PreviewRange, runQuery } from "./prometheus.ts";

const style = `body{font:12px sans-serif;margin:12px;background:#f4f5f5;width:1800px}h1{font-size:18px}h2{font-size:14px;margin:14px 0 6px}
.row{display:grid;grid-template-columns:repeat(4,1fr);gap:8px}.panel{background:#fff;border:1px solid #ddd;padding:6px}
h3{font-size:12px;margin:0 0 4px}.stat{font-size:40px;text-align:center;padding:40px 0;color:#37872d}.bad{color:#c4162a}
svg{width:100%}svg text{font-size:10px;fill:#555}.legend span{margin-right:10px;white-space:nowrap}.legend{max-height:46px;overflow:hidden}
.legend i{display:inline-block;width:10px;height:3px;margin-right:4px;vertical-align:middle}.empty{color:#999;text-align:center;padding:50px 0}`;

/** Renders the results of the dashboard's queries as an HTML page with charts, for machines without Grafana. */
export async function previewPage(range: PreviewRange): Promise<string> {
  const sections = await Promise.all(dashboardRows.map((row) => sectionOf(row, range)));
  return `<!doctype html><meta charset="utf-8"><style>${style}</style><h1>Certificate registry</h1>${sections.join("")}`;
}

async function sectionOf({ title, panels }: (typeof dashboardRows)[number], range: PreviewRange): Promise<string> {
  const rendered = await Promise.all(panels.map((panel) => panelOf(panel, range)));
  return `<h2>${title}</h2><div class="row">${rendered.join("")}</div>`;
}

async function panelOf(panel: Panel, range: PreviewRange): Promise<string> {
  const { title, unit, queries, limit, isStat } = panel;
  const series = (await Promise.all(queries.map((query) => runQuery(query, range)))).flat();
  const format = formats[unit];
  const content = isStat ? statOf(series, format, limit ?? 0) : lineChart(series, format, limit);
  return `<div class="panel"><h3>${escapeHtml(title)}</h3>${content}</div>`;
}

function statOf(series: readonly Series[], format: (value: number) => string, goal: number): string {
  const value = series[0]?.points.at(-1)?.[1];
  if (value === undefined) return '<p class="empty">no data</p>';
  return `<p class="stat${value < goal ? " bad" : ""}">${format(value)}</p>`;
}

const short = (value: number) => String(Number(value.toPrecision(3)));
const formats: Readonly<Record<Panel["unit"], (value: number) => string>> = {
  reqps: (value) => `${short(value)}/s`,
  s: (value) => (value < 1 ? `${short(value * 1_000)} ms` : `${short(value)} s`),
  short,
  percentunit: (value) => `${Number((value * 100).toFixed(3))} %`,
  bytes: (value) => `${short(value / 2 ** 20)} MiB`,
};
