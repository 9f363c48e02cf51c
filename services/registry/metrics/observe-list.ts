import { Histogram, type Registry } from "prom-client";
import { computedGauge } from "#shared/observe/computed-gauge.ts";
import { createLabelledCounter } from "#shared/observe/labelled-counter.ts";
import type { ListExchange } from "../rpc/list-exchange/list-exchange.ts";

/** Callbacks for {@link PlaceReturns}; each receives a number of places. */
interface PlaceObserver {
  readonly onReturned: (count: number) => void;
  readonly onLost: (count: number) => void;
}

/** Registers the counter `registry_places_returned_total`, labelled by result. */
export function observePlaces(metrics: Registry): PlaceObserver {
  const count = createLabelledCounter(metrics, {
    name: "registry_places_returned_total",
    help: "Rate-limit places of requests that ended with 503, by result: returned, or lost (a lost place counts until it leaves the window)",
    label: "result",
    values: ["returned", "lost"],
  });
  return { onReturned: (places) => count("returned", places), onLost: (places) => count("lost", places) };
}

/** Registers `registry_list_streams`, the number of open streams on which edges send list requests. */
export function observeExchange(exchange: Pick<ListExchange, "size">, metrics: Registry): void {
  const help = "Open streams on which edges send list requests";
  computedGauge(metrics, "registry_list_streams", help, () => exchange.size);
}

/**
 * Registers `registry_feed_lag_seconds`.
 *
 * @returns a function to call with the lag of each committed transaction, in milliseconds
 */
export function observeFeed(metrics: Registry): (lagMs: number) => void {
  const lag = new Histogram({
    name: "registry_feed_lag_seconds",
    help: "Time from the assignment of a change's updatedAt until the change is committed and visible in the list",
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    registers: [metrics],
  });
  return (lagMs) => lag.observe(lagMs / 1_000);
}
