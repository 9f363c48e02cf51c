import { type Row, rate, sumBy } from "./panels.ts";

/** The dashboard row for the storefront connector. */
export const storefrontRow: Row = {
  title: "Storefront platforms",
  panels: [
    {
      title: "Platform messages",
      description: "Messages received from storefront platforms per second, by outcome.",
      unit: "reqps",
      queries: [{ expr: sumBy("outcome", rate("edge_storefront_messages_total")), legend: "{{outcome}}" }],
    },
    {
      title: "Certificates for platform orders",
      description: "Certificates issued or revoked per second for orders from storefront platforms.",
      unit: "reqps",
      queries: [{ expr: sumBy("change", rate("registry_storefront_certificates_total")), legend: "{{change}}" }],
    },
    {
      title: "Age of the oldest unfinished message or order",
      description: "Time since the oldest unfinished storefront message or order became due.",
      unit: "s",
      limit: 300,
      queries: [{ expr: "max(registry_storefront_oldest_age_seconds{})", legend: "age" }],
    },
    {
      title: "Failed attempts to process messages and orders",
      description:
        "Rate of failed attempts to process storefront messages and orders. After its final failure, a message or order is quarantined.",
      unit: "reqps",
      queries: [{ expr: sumBy("outcome", rate("registry_storefront_failures_total")), legend: "{{outcome}}" }],
    },
  ],
};
