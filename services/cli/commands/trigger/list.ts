import { defineCommand } from "../../command/command.ts";
import { triggerListFormat } from "./format.ts";

export const triggerList = defineCommand({
  name: "trigger list",
  changes: "nothing",
  description:
    "list the workflow triggers, oldest first: id, state, format, waiting events, selected events, URL; indented " +
    "below: why a trigger is disabled, or when it began to fail",
  async run({ selectStore, output }) {
    const store = await selectStore();
    const { triggers } = await store.triggers.listTriggers({});
    triggers.forEach(output.list(triggerListFormat));
  },
});
