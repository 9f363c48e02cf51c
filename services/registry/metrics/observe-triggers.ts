import { Counter, type Registry } from "prom-client";
import type { Clock } from "#shared/time/clock.ts";
import type { TriggerLoad } from "../triggers/trigger-queue.ts";
import { ageSeconds, scrapedGauges } from "./scraped-gauges.ts";

interface TriggerMetricsDeps {
  readonly load: () => Promise<TriggerLoad>;
  /** Whether this replica leads: only the leading replica reads the queue for the gauges. */
  readonly isLeading: () => boolean;
  /** The database's clock. */
  readonly clock: Clock;
  readonly metrics: Registry;
}

/** Registers the gauges of workflow triggers and their queue. At each scrape, only the leading replica reports them. */
export function observeTriggers({ load, isLeading, clock, metrics }: TriggerMetricsDeps): void {
  const gauge = scrapedGauges(metrics, { read: load, isReporting: isLeading, clock });
  gauge(
    "registry_trigger_oldest_age_seconds",
    "Age of the oldest event waiting to be sent to an enabled trigger, in seconds; 0 if no event is waiting; reported by one replica; absent while the database cannot be read",
    ({ oldestAt }) => ageSeconds(oldestAt, clock),
  );
  gauge(
    "registry_trigger_events_waiting",
    "Events waiting to be sent to enabled triggers, counted up to 100,000; reported by one replica; absent while the database cannot be read",
    ({ waitingCount }) => waitingCount,
  );
  gauge(
    "registry_triggers_disabled",
    "Disabled triggers; reported by one replica; absent while the database cannot be read",
    ({ disabledCount }) => disabledCount,
  );
}

/**
 * Registers the counter of triggers disabled because their receivers kept failing or replied 410.
 *
 * @returns a function that counts a disabled trigger
 */
export function countDisabledTriggers(metrics: Registry): () => void {
  const disabled = new Counter({
    name: "registry_triggers_disabled_total",
    help: "Triggers disabled because their receivers failed for the whole retry period, or replied with 410",
    registers: [metrics],
  });
  return () => disabled.inc();
}

interface AutomationMetricsDeps {
  readonly oldestAt: () => Promise<Date | undefined>;
  readonly isLeading: () => boolean;
  /** The database's clock. */
  readonly clock: Clock;
  readonly metrics: Registry;
}

/** Registers metrics for the stream of automation events. @returns a function that counts a published event */
export function observeAutomation({ oldestAt, isLeading, clock, metrics }: AutomationMetricsDeps): () => void {
  const published = new Counter({
    name: "registry_automation_published_total",
    help: "Automation events that the stream has stored",
    registers: [metrics],
  });
  scrapedGauges(metrics, { read: oldestAt, isReporting: isLeading, clock })(
    "registry_automation_oldest_age_seconds",
    "Age of the oldest automation event that is not yet published, in seconds; 0 if there is none; absent in replicas that do not lead, and while the outbox cannot be read",
    (oldest) => ageSeconds(oldest, clock),
  );
  return () => published.inc();
}
