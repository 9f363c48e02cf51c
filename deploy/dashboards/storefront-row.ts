import { type Row, rate, sumBy } from "./panels.ts";

/** The row about the storefront connector. */
export const storefrontRow: Row = {
  title: "Storefront platforms",
  panels: [
    {
      title: "Messages of platforms",
      description: "Messages per second, by outcome.",
      unit: "reqps",
      queries: [{ expr: sumBy("outcome", rate("edge_storefront_messages_total")), legend: "{{outcome}}" }],
    },
    {
      title: "Certificates of orders",
      description: "Certificates issued or revoked per second for orders of storefront platforms.",
      unit: "reqps",
      queries: [{ expr: sumBy("change", rate("registry_storefront_certificates_total")), legend: "{{change}}" }],
    },
    {
      title: "Age of the oldest storefront work",
      description: "Time since the oldest message or order, waiting or in progress, became due.",
      unit: "s",
      limit: 300,
      queries: [{ expr: "max(registry_storefront_oldest_age_seconds{})", legend: "age" }],
    },
    {
      title: "Failed storefront work",
      description:
        "Failed attempts per second to process messages or orders. After a final failure, they are quarantined.",
      unit: "reqps",
      queries: [{ expr: sumBy("outcome", rate("registry_storefront_failures_total")), legend: "{{outcome}}" }],
    },
  ],
};
