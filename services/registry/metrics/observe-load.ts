import { Counter, Gauge, type Registry } from "prom-client";
import { type ShedReason, shedReasons } from "../load/load-shed-error.ts";

/** How many units of one kind of work are running, and how many calls are waiting to start. */
interface Load {
  readonly inFlight: number;
  readonly waiting: number;
}

/** Registers the metrics of load shedding, labelled by the kind of work. */
export class LoadMetrics {
  readonly #shed: Counter;
  readonly #loads = new Map<string, () => Load>();

  constructor(metrics: Registry) {
    this.#gauge(metrics, "registry_load_in_flight", "Units of work in progress, by kind", ({ inFlight }) => inFlight);
    this.#gauge(metrics, "registry_load_waiting", "Calls waiting to start, by kind of work", ({ waiting }) => waiting);
    this.#shed = new Counter({
      name: "registry_load_shed_total",
      help: "Calls dropped because of load or because the caller disconnected, by kind of work and reason",
      labelNames: ["work", "reason"],
      registers: [metrics],
    });
  }

  /** Observes one kind of work. @returns a function to call for each dropped call */
  observe(work: string, load: () => Load): (reason: ShedReason) => void {
    this.#loads.set(work, load);
    // Starts every series at 0, so that rate() includes the first increment.
    for (const reason of shedReasons) this.#shed.inc({ work, reason }, 0);
    return (reason) => this.#shed.inc({ work, reason });
  }

  #gauge(metrics: Registry, name: string, help: string, read: (load: Load) => number): void {
    const loads = this.#loads;
    new Gauge({
      name,
      help,
      labelNames: ["work"],
      registers: [metrics],
      collect() {
        for (const [work, load] of loads) this.set({ work }, read(load()));
      },
    });
  }
}
