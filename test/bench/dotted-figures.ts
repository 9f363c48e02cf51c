import type { Spread } from "./compare.ts";
import type { Findings } from "./parts/part.ts";

/**
 * Short names of the most important figures. Each stands for a full name, `<part>.<finding>.<figure>`.
 */
export const headlines: Readonly<Record<string, string>> = {
  "list.cpu_ratio": "list.page_50.cpu_ratio",
  "list.rate_ratio": "list.page_50.rate_ratio_bare",
  "list.p99_ms": "list.latency.service_p99_ms",
  "list.p99_ratio": "list.latency.p99_ratio",
  "poll.cpu_ratio": "poll.nothing.cpu_ratio",
  "poll.hot_key_cpu_ratio": "poll.hot_key.cpu_ratio",
  "verification.cpu_ratio_list": "verification.page.cpu_ratio_list",
  "verification.list_p99_ratio": "verification.flood.list_p99_ratio",
  "paint.largest_ms": "paint.phone.largest_ms",
  "paint.new_edge_ms": "paint.phone.new_edge_ms",
  "sync.rate_ratio": "sync.copy.rate_ratio_bare",
  "sync.certificates_per_second": "sync.copy.service_per_second",
  "sync.depth_ratio": "sync.copy.depth_ratio_services",
  "flat.page_cpu_ratio": "flat.page.cpu_ratio_services",
  "flat.change_cpu_ratio": "flat.change.cpu_ratio_services",
  "flat.keys_examined_max": "flat.plans.keys_examined_max",
  "changes.rate_ratio": "changes.over_stores.rate_ratio_transaction",
  "import.rate_ratio": "import.several_stores.rate_ratio_insert_many",
  "import.certificates_per_second": "import.one_store.service_per_second",
  "webhooks.cpu_ratio": "webhooks.backlog.cpu_ratio",
  "webhooks.p99_ms": "webhooks.latency.since_answer_p99_ms",
  "triggers.cpu_ratio": "triggers.backlog.cpu_ratio_webhooks",
  "relay.rate_ratio": "relay.slow_publish.rate_ratio_one",
  "isolation.p99_ratio": "isolation.hanging_store.rise_p99_of_all",
  "tls_flood.p99_ratio": "tls_flood.flooding_stores.rise_p99_of_all",
  "admission.rate_ratio": "admission.one_key.rate_ratio_find_one",
  "overload.goodput_ratio": "overload.check.goodput_ratio",
  "overload.other_store_p99_ratio": "overload.check.other_store_p99_ratio",
  "memory.edge_slope": "memory.load.edge_rss_slope",
  "memory.registry_slope": "memory.load.registry_rss_slope",
  "memory.notifier_slope": "memory.load.notifier_rss_slope",
  "memory.flat": "memory.load.flat",
  "start.edge_ms": "start.services.edge_ms",
  "start.registry_ms": "start.services.registry_ms",
  "start.notifier_ms": "start.services.notifier_ms",
  "start.npm_start_ms": "start.npm_start.again_ms",
};

/**
 * Lists all figures by dotted names: `<part>.<finding>.<figure>` for the median, with `.min` and `.max` for the range,
 * and the short names of {@link headlines} for the figures that were measured.
 */
export function dottedFigures(parts: Readonly<Record<string, Findings>>): Record<string, number> {
  const figures = Object.fromEntries(
    Object.entries(parts).flatMap(([part, findings]) =>
      Object.entries(findings).flatMap(([finding, { sides, shareOf, numbers = {} }]) => {
        const name = (figure: string) => `${part}.${finding}.${figure}`;
        return [
          ...Object.entries(sides).flatMap(([side, { perSecond, cpuMicrosPerUnit }]) => [
            ...spreadEntries(name(`${side}_per_second`), perSecond),
            ...Object.entries(cpuMicrosPerUnit).map(
              ([process, micros]) => [name(`${side}_cpu_micros_${process}`), micros] as const,
            ),
          ]),
          ...Object.entries(shareOf).flatMap(([side, share]) => spreadEntries(name(`rate_ratio_${side}`), share)),
          ...Object.entries(numbers).flatMap(([figure, value]) => spreadEntries(name(figure), value)),
        ];
      }),
    ),
  );
  const short = Object.entries(headlines).flatMap(([headline, full]) =>
    ["", ".min", ".max"].flatMap((suffix) => {
      const value = figures[`${full}${suffix}`];
      return value === undefined ? [] : [[`${headline}${suffix}`, value] as const];
    }),
  );
  return { ...Object.fromEntries(short), ...figures };
}

/** Returns {@link dottedFigures} rounded to three significant digits. */
export function shortFigures(parts: Readonly<Record<string, Findings>>): Record<string, number> {
  const figures = Object.entries(dottedFigures(parts));
  return Object.fromEntries(figures.map(([name, value]) => [name, Number(value.toPrecision(3))]));
}

function spreadEntries(name: string, value: Spread | number): (readonly [string, number])[] {
  if (typeof value === "number") return [[name, value]];
  return [[name, value.median] as const, [`${name}.min`, value.min] as const, [`${name}.max`, value.max] as const];
}
