import type { Spread } from "../compare.ts";
import type { Findings } from "../parts/part.ts";
import type { Figure } from "./results-file.ts";

// Target values, by part, finding and measure.
const aims: Readonly<Record<string, string>> = {
  "list page_50 cpu_ratio": "≤ 1.0",
  "list page_50 service ÷ bare": "≥ 0.6",
  "list latency service_p99_ms": "< 25 ms",
  "list latency p99_ratio": "< 2",
  "list latency p99_ratio_counting": "≤ 1.5",
  "list refusals cpu_share_unauthorized": "< 0.2",
  "list refusals cpu_share_plan_required": "< 0.2",
  "list refusals cpu_share_rate_limited": "< 0.2",
  "list refusals cpu_share_bad_request": "< 0.5",
  "poll nothing cpu_ratio": "≤ 1.5",
  "poll hot_key cpu_ratio": "≤ 1.5",
  "verification page cpu_ratio_list": "< 0.5",
  "verification flood list_p99_ratio": "< 2",
  "paint phone largest_ms": "≤ 900 ms",
  "paint phone new_edge_ms": "< 1,000 ms",
  "paint phone transferred_kb": "≤ 100 kB",
  "sync copy depth_ratio_services": "1.0",
  "flat page cpu_ratio_services": "1.0",
  "flat first_page cpu_ratio_services": "1.0",
  "flat change cpu_ratio_services": "1.0",
  "flat plans keys_examined_max": "≤ 51",
  "changes over_stores service ÷ transaction": "≥ 0.85",
  "changes over_stores cpu_micros_registry": "≤ 1,700 µs",
  "changes one_caller service ÷ transaction": "≥ 0.85",
  "import one_store service": "1,000/s",
  "webhooks backlog cpu_ratio": "≤ 1.25",
  "triggers backlog cpu_ratio_webhooks": "≤ 2",
  "triggers backlog cpu_ratio_webhooks_with_servers": "≤ 2",
  "triggers backoff ratio_with": "≤ 1.2",
  "webhooks backlog per_core_notifier_of_posts": "≥ 0.6",
  "webhooks backlog per_core_services_of_posts": "≥ 0.6",
  "webhooks backlog cpu_micros_services": "< 2,000 µs",
  "webhooks latency since_answer_p99_ms": "≤ 40 ms",
  "webhooks latency calm_since_answer_p99_ms": "< 50 ms",
  "relay slow_publish service ÷ one": "≥ 1.8",
  "isolation hanging_store rise_p99_of_all": "< 1.1",
  "tls_flood flooding_stores rise_p99_of_all": "< 1.2",
  "overload check goodput_ratio": "≥ 0.9",
  "overload check other_store_p99_ratio": "< 2",
  "overload check places_lost": "0",
  "memory load flat": "1",
  "memory load edge_rss_mb": "≤ 200 MiB",
  "memory load registry_rss_mb": "≤ 200 MiB",
  "memory load notifier_rss_mb": "≤ 200 MiB",
  "start services registry_ms": "< 1,500 ms",
  "start services edge_ms": "< 1,500 ms",
  "start services notifier_ms": "< 1,500 ms",
  "start npm_start again_ms": "< 8,000 ms",
  "start npm_start new_ms": "< 8,000 ms",
};

/**
 * Lists the figures of a part: the rate of each side, the service's rate divided by that of each other side, and other
 * measured numbers.
 */
export function figuresOf(part: string, findings: Findings): Figure[] {
  return Object.entries(findings).flatMap(([finding, { sides, shareOf, numbers = {} }]) => {
    const figureOf = (measure: string, unit: string, value: Spread | number): Figure => {
      const name = `${finding} ${measure}`;
      const aim = aims[`${part} ${name}`];
      const spread = typeof value === "number" ? { median: value } : value;
      const figures = Object.entries(spread).map(([key, number]) => [key, Number(number.toPrecision(3))]);
      return { name, unit, median: Number.NaN, ...Object.fromEntries(figures), ...(aim && { aim }) };
    };
    const all = [
      ...Object.entries(sides).map(([side, { perSecond }]) => figureOf(side, "1/s", perSecond)),
      ...Object.entries(shareOf).map(([side, share]) => figureOf(`service ÷ ${side}`, "ratio", share)),
      ...Object.entries(numbers).map(([name, value]) => figureOf(name, unitOf(name), value)),
    ];
    // A figure that a short run could not judge is no figure.
    return all.filter(({ median }) => Number.isFinite(median));
  });
}

function unitOf(name: string): string {
  if (name.endsWith("_mb")) return "MiB";
  if (name.endsWith("_kb")) return "kB";
  if (name.endsWith("_per_second")) return "1/s";
  if (name.endsWith("_slope") || name.endsWith("_slope_error")) return "MiB/min";
  if (name.startsWith("keys_examined")) return "keys";
  if (name.endsWith("_ms")) return "ms";
  if (name.endsWith("_percent")) return "%";
  return name.startsWith("cpu_micros") ? "µs" : "ratio";
}
