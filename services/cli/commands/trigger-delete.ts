import { defineCommand } from "./command.ts";
import { withYes, type YesOption } from "./common-options.ts";

/** `certctl trigger delete <trigger-id>` */
export const triggerDelete = defineCommand<YesOption>({
  name: "trigger delete",
  changes: "store",
  description: "delete a workflow trigger with its waiting events and its log",
  configure: (command) => withYes(command.argument("<trigger-id>", "id shown by 'certctl trigger list'")),
  async run({ client, storeId, output, options: { yes }, args: [triggerId = ""] }) {
    const id = await storeId();
    if (!yes) return output.preview(`delete ${triggerId} with its waiting events and its log`, {});
    await client.triggers.deleteTrigger({ storeId: id, triggerId });
    output.result({ triggerId }, `deleted ${triggerId}`);
  },
});
