import type { Registry } from "prom-client";
import { computedGauge } from "#shared/observe/computed-gauge.ts";
import { createLabelledCounter } from "#shared/observe/labelled-counter.ts";
import type { Clock } from "#shared/time/clock.ts";
import { outcomeKinds } from "../deliveries/delivery.ts";
import { type RefusalReason, refusalReasons } from "../outbox/publish-refusal.ts";
import type { RelayLoad } from "../outbox/relay.ts";
import { ageSeconds, scrapedGauges } from "./scraped-gauges.ts";

interface RelayMetricsDeps {
  /** Load of this replica's relay. */
  readonly load: () => RelayLoad;
  /** Whether this replica reports the age of the oldest event: one replica at a time. */
  readonly isFirst: () => boolean;
  /** Returns the time at which the oldest event entered the outbox; undefined when the outbox is empty. */
  readonly oldestAt: () => Promise<Date | undefined>;
  /** The database's clock. */
  readonly clock: Clock;
  readonly metrics: Registry;
}

/**
 * Registers gauges of the outbox relay, computed at each scrape. Only the replica that relays the first partition reads
 * the outbox, for all partitions.
 */
export function observeRelay({ load, isFirst, oldestAt, clock, metrics }: RelayMetricsDeps): void {
  computedGauge(
    metrics,
    "registry_relay_partitions",
    "Partitions of stores whose events this replica relays; 16 in all replicas together",
    () => load().partitionCount,
  );
  computedGauge(
    metrics,
    "registry_relay_events_out",
    "Published events of this replica's partitions that are not settled yet",
    () => load().inFlightCount,
  );
  computedGauge(
    metrics,
    "registry_relay_stores_waiting",
    "Stores of this replica's partitions with events waiting to be published",
    () => load().waitingStoreCount,
  );
  scrapedGauges(metrics, { read: oldestAt, isReporting: isFirst, clock })(
    "registry_outbox_oldest_age_seconds",
    "Age of the oldest unsettled event, in seconds; 0 when all events are settled; absent in replicas that do not relay the first partition, and while the outbox cannot be read",
    (oldest) => ageSeconds(oldest, clock),
  );
}

/** Registers `registry_publishes_refused_total`. @returns a function to call each time NATS refuses an event */
export function observeRefusals(metrics: Registry): (reason: RefusalReason) => void {
  return createLabelledCounter(metrics, {
    name: "registry_publishes_refused_total",
    help: "Events refused by NATS, by reason: too_large (quarantined) or not_permitted (retried later)",
    label: "reason",
    values: refusalReasons,
  });
}

/**
 * Creates a counter of delivery outcomes, including those that the registry itself stores, for interrupted and skipped
 * events.
 *
 * @returns a function to call with the kinds of newly recorded outcomes
 */
export function observeOutcomes(metrics: Registry): (kinds: readonly string[]) => void {
  const count = createLabelledCounter<string>(metrics, {
    name: "registry_webhook_outcomes_total",
    help: "Delivery outcomes recorded by this replica",
    label: "outcome",
    values: [...outcomeKinds, "unknown"],
  });
  const known: ReadonlySet<string> = new Set(outcomeKinds);
  return (kinds) => {
    // The caller chooses the names of kinds that only a later notifier knows.
    for (const kind of kinds) count(known.has(kind) ? kind : "unknown");
  };
}
