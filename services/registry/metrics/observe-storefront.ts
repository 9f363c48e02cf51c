import { Counter, Gauge, type Registry } from "prom-client";
import { createLabelledCounter } from "#shared/observe/labelled-counter.ts";
import type { Clock } from "#shared/time/clock.ts";
import { ageSeconds, scrapeReading } from "./scrape-reading.ts";

interface StorefrontMetricsDeps {
  readonly metrics: Registry;
  readonly clock: Clock;
  /** When the work that has waited longest became due; undefined if none is waiting. */
  readonly oldestAt: () => Promise<Date | undefined>;
}

/** Registers the metrics of the connection to storefront platforms. */
export function observeStorefront({ metrics, clock, oldestAt }: StorefrontMetricsDeps) {
  const certificates = new Counter({
    name: "registry_storefront_certificates_total",
    help: "Certificates that orders of storefront platforms issued or revoked",
    labelNames: ["change"],
    registers: [metrics],
  });
  for (const change of ["issued", "revoked"]) certificates.inc({ change }, 0);
  const onFailed = createLabelledCounter(metrics, {
    name: "registry_storefront_failures_total",
    help: "Failed attempts to work on messages or orders of storefront platforms; final: they are quarantined",
    label: "outcome",
    values: ["retried", "final"],
  });
  const readOldest = scrapeReading(oldestAt, clock);
  new Gauge({
    name: "registry_storefront_oldest_age_seconds",
    help: "How long the storefront work that has waited longest is overdue, in seconds; 0 when none is; absent while the database cannot be read",
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
