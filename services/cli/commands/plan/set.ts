import { Argument } from "commander";
import { Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { defineCommand } from "../../command/command.ts";
import { enumChoices } from "../../command/enum-names.ts";

const plans = enumChoices(Plan);

export const planSet = defineCommand({
  name: "plan set",
  changes: "store",
  description: "change the store's plan, effective from the next API request",
  configure: (command) => command.addArgument(new Argument("<plan>").choices([...plans.keys()])),
  async run({ selectStore, output, args: [plan = ""] }) {
    const { stores } = await selectStore();
    await stores.setPlan({ plan: plans.get(plan) ?? Plan.UNSPECIFIED });
    output.result({ plan }, `the plan is ${plan}`);
  },
});
