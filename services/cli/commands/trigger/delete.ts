import { defineCommand } from "../../command/command.ts";
import { withYes, type YesOption } from "../../command/common-options.ts";

export const triggerDelete = defineCommand<YesOption>({
  name: "trigger delete",
  changes: "store",
  description: "delete a workflow trigger with its waiting events and its log",
  configure: (command) => withYes(command.argument("<trigger-id>", "id shown by 'certctl trigger list'")),
  async run({ selectStore, output, options: { yes }, args: [triggerId = ""] }) {
    const { triggers } = await selectStore();
    if (!yes) return output.preview(`delete ${triggerId} with its waiting events and its log`, {});
    await triggers.deleteTrigger({ triggerId });
    output.result({ triggerId }, `deleted ${triggerId}`);
  },
});
