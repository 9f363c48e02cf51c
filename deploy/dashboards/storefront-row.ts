import { type Row, rate, sumBy } from "./panels.ts";

/** The row about the connection to storefront platforms. */
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
      description: "Certificates per second that orders issued or revoked.",
      unit: "reqps",
      queries: [{ expr: sumBy("change", rate("registry_storefront_certificates_total")), legend: "{{change}}" }],
    },
    {
      title: "Age of the oldest storefront work",
      description: "How long the message or order that has waited longest is overdue.",
      unit: "s",
      limit: 300,
      queries: [{ expr: "max(registry_storefront_oldest_age_seconds{})", legend: "age" }],
    },
    {
      title: "Failed storefront work",
      description: "Failed attempts per second to work on messages or orders; final ones are quarantined.",
      unit: "reqps",
      queries: [{ expr: sumBy("outcome", rate("registry_storefront_failures_total")), legend: "{{outcome}}" }],
    },
  ],
};
