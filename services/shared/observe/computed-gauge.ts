import { Gauge, type Registry } from "prom-client";

/** Registers a gauge whose value is computed at each scrape. */
export function computedGauge(metrics: Registry, name: string, help: string, value: () => number): void {
  new Gauge({
    name,
    help,
    registers: [metrics],
    collect() {
      this.set(value());
    },
  });
}
