import { defineCommand } from "./command.ts";

/** `certctl storefront rules remove <name>` */
export const storefrontRulesRemove = defineCommand({
  name: "storefront rules remove",
  changes: "store",
  description: "remove a rule; certificates that exist stay as they are",
  configure: (command) => command.argument("<name>"),
  async run({ client, storeId, output, args: [name = ""] }) {
    const id = await storeId();
    const { rules } = await client.storefront.getStorefront({ storeId: id });
    const others = rules.filter((rule) => rule.name !== name);
    if (others.length === rules.length) throw new Error(`The store has no rule ${name}.`);
    await client.storefront.setStorefrontRules({ storeId: id, rules: others });
    output.result({ removed: name }, `removed the rule ${name}`);
  },
});
