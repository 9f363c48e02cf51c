import { defineCommand } from "./command.ts";
import { ruleFormat } from "./storefront-rule-format.ts";

/** `certctl storefront rules list` */
export const storefrontRulesList = defineCommand({
  name: "storefront rules list",
  changes: "nothing",
  description: "list the rules in the order in which they are tried: name, products, certificates, earliest order time",
  async run({ client, storeId, output }) {
    const { rules } = await client.storefront.getStorefront({ storeId: await storeId() });
    rules.forEach(output.list(ruleFormat));
  },
});
