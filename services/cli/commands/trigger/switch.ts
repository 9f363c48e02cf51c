import { ServiceError } from "#shared/errors/service-error.ts";
import { defineCommand } from "../../command/command.ts";
import { triggerDocument, triggerLines } from "./format.ts";

const switches = [
  {
    name: "enable",
    description: "enable a workflow trigger again and send its waiting events",
    method: "enableTrigger",
  },
  {
    name: "disable",
    description:
      "stop sending events to a workflow trigger; waiting events are kept (for 30 days by default), new events are not",
    method: "disableTrigger",
  },
] as const;

export const triggerSwitches = switches.map(({ name, description, method }) =>
  defineCommand({
    name: `trigger ${name}`,
    changes: "store",
    description,
    configure: (command) => command.argument("<trigger-id>", "id shown by 'certctl trigger list'"),
    async run({ selectStore, output, args: [triggerId = ""] }) {
      const store = await selectStore();
      const { trigger } = await store.triggers[method]({ triggerId });
      if (trigger === undefined) throw new ServiceError("internal", "The registry's response contains no trigger.");
      output.result({ trigger: triggerDocument(trigger) }, ...triggerLines(trigger));
    },
  }),
);
