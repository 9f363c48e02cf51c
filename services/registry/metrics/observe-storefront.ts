import type { Registry } from "prom-client";
import { createLabelledCounter } from "#shared/observe/labelled-counter.ts";
import type { Clock } from "#shared/time/clock.ts";
import { ageSeconds, scrapedGauges } from "./scraped-gauges.ts";

interface StorefrontMetricsDeps {
  readonly metrics: Registry;
  readonly clock: Clock;
  /** Returns the time at which the oldest work that is due or in progress became due; undefined if there is none. */
  readonly oldestAt: () => Promise<Date | undefined>;
}

/** Registers the metrics of the storefront connector. */
export function observeStorefront({ metrics, clock, oldestAt }: StorefrontMetricsDeps) {
  const countCertificates = createLabelledCounter(metrics, {
    name: "registry_storefront_certificates_total",
    help: "Certificates issued or revoked for storefront orders",
    label: "change",
    values: ["issued", "revoked"],
  });
  const onFailed = createLabelledCounter(metrics, {
    name: "registry_storefront_failures_total",
    help: "Failed attempts to process a storefront message or order, by outcome: retried, or final (quarantined)",
    label: "outcome",
    values: ["retried", "final"],
  });
  scrapedGauges(metrics, { read: oldestAt, clock })(
    "registry_storefront_oldest_age_seconds",
    "Seconds since the oldest storefront work that is due or in progress became due; 0 if there is none; absent while the database cannot be read",
    (oldest) => ageSeconds(oldest, clock),
  );
  const onReconciled = ({ issued, revoked }: { readonly issued: number; readonly revoked: number }) => {
    countCertificates("issued", issued);
    countCertificates("revoked", revoked);
  };
  return { onReconciled, onFailed };
}
