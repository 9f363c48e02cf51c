import { Counter, Gauge, type Registry } from "prom-client";
import type { Clock } from "#shared/time/clock.ts";
import { type RefusalReason, refusalReasons } from "../outbox/publish-refusal.ts";
import type { RelayLoad } from "../outbox/store-windows.ts";
import { ageSeconds, scrapeReading } from "./scrape-reading.ts";

interface RelayMetricsDeps {
  /** Load of this replica's relay; undefined while this replica does not lead. */
  readonly load: () => RelayLoad | undefined;
  /** Returns the time at which the oldest event entered the outbox; undefined when the outbox is empty. */
  readonly oldestAt: () => Promise<Date | undefined>;
  readonly clock: Clock;
  readonly metrics: Registry;
}

/** Registers gauges of the outbox relay, computed at each scrape. Only the leading replica reads the outbox. */
export function observeRelay({ load, oldestAt, clock, metrics }: RelayMetricsDeps): void {
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers: [metrics],
      collect() {
        this.set(value());
      },
    });
  gauge("registry_relay_leading", "1 in the replica that leads the outbox relay, 0 in the other replicas", () =>
    load() === undefined ? 0 : 1,
  );
  gauge(
    "registry_relay_events_out",
    "Published events that are not settled yet; 0 in replicas that do not lead",
    () => load()?.inFlightCount ?? 0,
  );
  gauge(
    "registry_relay_stores_waiting",
    "Stores with events waiting to be published; 0 in replicas that do not lead",
    () => load()?.waitingStoreCount ?? 0,
  );
  const readOldest = scrapeReading(oldestAt, clock);
  new Gauge({
    name: "registry_outbox_oldest_age_seconds",
    help: "Age of the oldest unsettled event, in seconds; 0 when all events are settled; absent in replicas that do not lead, and while the outbox cannot be read",
    registers: [metrics],
    async collect() {
      this.remove();
      if (load() === undefined) return;
      const oldest = await readOldest();
      if (oldest !== undefined) this.set(ageSeconds(oldest.value, clock));
    },
  });
}

/** Registers `registry_publishes_refused_total`. @returns a function to call each time NATS refuses an event */
export function observeRefusals(metrics: Registry): (reason: RefusalReason) => void {
  const refusals = new Counter({
    name: "registry_publishes_refused_total",
    help: "Events refused by NATS, by reason: too_large (quarantined) or not_permitted (retried later)",
    labelNames: ["reason"],
    registers: [metrics],
  });
  // Starts every series at 0, so that rate() includes the first increment.
  for (const reason of refusalReasons) refusals.inc({ reason }, 0);
  return (reason) => refusals.inc({ reason });
}
