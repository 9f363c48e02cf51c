import { defineCommand } from "./command.ts";

/** `certctl trigger test <trigger-id>` */
export const triggerTest = defineCommand({
  name: "trigger test",
  changes: "store",
  description:
    "send a test message about a sample certificate to a workflow trigger, in one attempt; 'trigger log' shows the " +
    "result",
  configure: (command) => command.argument("<trigger-id>", "id shown by 'certctl trigger list'"),
  async run({ client, storeId, output, args: [triggerId = ""] }) {
    const { eventId } = await client.triggers.testTrigger({ storeId: await storeId(), triggerId });
    output.result({ eventId }, eventId);
  },
});
