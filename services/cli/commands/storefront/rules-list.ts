import { RuleNumbering, RuleSelector, type StorefrontRule } from "#gen/registry/v1/storefront_service_pb.js";
import { printable } from "#shared/text/printable.ts";
import { defineCommand } from "../../command/command.ts";
import { enumName } from "../../command/enum-names.ts";
import type { ListFormat } from "../../output/output.ts";
import { timeOrNull, timestampText } from "../../timestamp.ts";

const ruleFormat: ListFormat<StorefrontRule> = {
  columns: [
    { title: "NAME", value: ({ name }) => name, isWhole: true },
    { title: "PRODUCTS", value: productsText },
    { title: "CERTIFICATES", value: certificatesText },
    { title: "ORDERS SINCE", value: ({ since }) => timestampText(since) },
  ],
  toJson: ({ name, selector, value, excludes, editionTotal, numbering, validDays, since }) => ({
    name,
    selector: enumName(RuleSelector, selector),
    value,
    excludes,
    editionTotal: editionTotal || null,
    numbering: enumName(RuleNumbering, numbering),
    validDays: validDays || null,
    since: timeOrNull(since),
  }),
};

export const storefrontRulesList = defineCommand({
  name: "storefront rules list",
  changes: "nothing",
  description: "list the rules in the order in which they are tried: name, products, certificates, earliest order time",
  async run({ selectStore, output }) {
    const { storefront } = await selectStore();
    const { rules } = await storefront.getStorefront({});
    rules.forEach(output.list(ruleFormat));
  },
});

function productsText({ selector, value }: StorefrontRule): string {
  return selector === RuleSelector.ALL ? "all" : `${enumName(RuleSelector, selector)} ${printable(value)}`;
}

function certificatesText({ excludes, editionTotal, numbering, validDays }: StorefrontRule): string {
  if (excludes) return "none";
  const shared = numbering === RuleNumbering.SHARED ? " shared by all" : "";
  const edition = editionTotal === 0 ? "no edition" : `edition of ${editionTotal}${shared}`;
  return `${edition}, ${validDays === 0 ? "no expiry" : `valid for ${validDays} ${validDays === 1 ? "day" : "days"}`}`;
}
