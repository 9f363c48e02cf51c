import { defineCommand } from "./command.ts";
import { triggerListFormat } from "./trigger-format.ts";

/** `certctl trigger list` */
export const triggerList = defineCommand({
  name: "trigger list",
  changes: "nothing",
  description:
    "list the workflow triggers, oldest first: id, state, format, waiting events, selected events, URL; indented " +
    "below: why a trigger is disabled, or when it began to fail",
  async run({ client, storeId, output }) {
    const { triggers } = await client.triggers.listTriggers({ storeId: await storeId() });
    triggers.forEach(output.list(triggerListFormat));
  },
});
