import { Counter, Gauge, type Registry } from "prom-client";
import { createLabelledCounter } from "#shared/observe/labelled-counter.ts";
import type { Clock } from "#shared/time/clock.ts";
import { ageSeconds, scrapeReading } from "./scrape-reading.ts";

interface StorefrontMetricsDeps {
  readonly metrics: Registry;
  readonly clock: Clock;
  /** Returns the time at which the oldest work that is due or in progress became due; undefined if there is none. */
  readonly oldestAt: () => Promise<Date | undefined>;
}

/** Registers the metrics of the storefront connector. */
export function observeStorefront({ metrics, clock, oldestAt }: StorefrontMetricsDeps) {
  const certificates = new Counter({
    name: "registry_storefront_certificates_total",
    help: "Certificates issued or revoked for storefront orders",
    labelNames: ["change"],
    registers: [metrics],
  });
  for (const change of ["issued", "revoked"]) certificates.inc({ change }, 0);
  const onFailed = createLabelledCounter(metrics, {
    name: "registry_storefront_failures_total",
    help: "Failed attempts to process a storefront message or order, by outcome: retried, or final (quarantined)",
    label: "outcome",
    values: ["retried", "final"],
  });
  const readOldest = scrapeReading(oldestAt, clock);
  new Gauge({
    name: "registry_storefront_oldest_age_seconds",
    help: "Seconds since the oldest storefront work that is due or in progress became due; 0 if there is none; absent while the database cannot be read",
    registers: [metrics],
    async collect() {
      this.remove();
      const oldest = await readOldest();
      if (oldest !== undefined) this.set(ageSeconds(oldest.value, clock));
    },
  });
  const onReconciled = ({ issued, revoked }: { readonly issued: number; readonly revoked: number }) => {
    certificates.inc({ change: "issued" }, issued);
    certificates.inc({ change: "revoked" }, revoked);
  };
  return { onReconciled, onFailed };
}
