import { ServiceError } from "#shared/errors/service-error.ts";
import { defineCommand } from "../../command/command.ts";
import { changeRules } from "./change-rules.ts";

export const storefrontRulesRemove = defineCommand({
  name: "storefront rules remove",
  changes: "store",
  description: "remove a rule; existing certificates remain unchanged",
  configure: (command) => command.argument("<name>"),
  async run({ selectStore, output, args: [name = ""] }) {
    await changeRules(await selectStore(), (rules) => {
      const others = rules.filter((rule) => rule.name !== name);
      if (others.length === rules.length)
        throw new ServiceError(
          "not_found",
          `The rule '${name}' does not exist. To list the rules, run 'certctl storefront rules list'.`,
        );
      return others;
    });
    output.result({ removed: name }, `removed the rule ${name}`);
  },
});
