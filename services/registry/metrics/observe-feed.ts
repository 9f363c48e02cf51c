import { Histogram, type Registry } from "prom-client";

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
