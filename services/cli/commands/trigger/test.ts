import { defineCommand } from "../../command/command.ts";

export const triggerTest = defineCommand({
  name: "trigger test",
  changes: "store",
  description:
    "send a test message about a sample certificate to a workflow trigger, in one attempt; 'trigger log' shows the " +
    "result",
  configure: (command) => command.argument("<trigger-id>", "id shown by 'certctl trigger list'"),
  async run({ selectStore, output, args: [triggerId = ""] }) {
    const { triggers } = await selectStore();
    const { eventId } = await triggers.testTrigger({ triggerId });
    output.result({ eventId }, eventId);
  },
});
