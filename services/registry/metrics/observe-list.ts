import { Histogram, type Registry } from "prom-client";
import { createLabelledCounter } from "#shared/observe/labelled-counter.ts";

/** Registers `registry_places_returned_total`. @returns callbacks for {@link PlaceReturns}; each gets a number */
export function observePlaces(metrics: Registry) {
  const count = createLabelledCounter(metrics, {
    name: "registry_places_returned_total",
    help: "Rate-limit places of requests that ended with 503, by result: returned, or lost (a lost place counts until it leaves the window)",
    label: "result",
    values: ["returned", "lost"],
  });
  return {
    onReturned: (places: number) => count("returned", places),
    onLost: (places: number) => count("lost", places),
  };
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
