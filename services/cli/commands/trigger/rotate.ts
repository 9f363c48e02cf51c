import { defineCommand } from "../../command/command.ts";
import { timeOrNull, timestampText } from "../../timestamp.ts";

export const triggerRotate = defineCommand({
  name: "trigger rotate",
  changes: "store",
  description: "create a new signing secret, shown once; the previous secret also signs messages for 24 hours",
  configure: (command) => command.argument("<trigger-id>", "id shown by 'certctl trigger list'"),
  async run({ selectStore, output, args: [triggerId = ""] }) {
    const { triggers } = await selectStore();
    const { secret, trigger } = await triggers.rotateTriggerSecret({ triggerId });
    const until = trigger?.previousSecretUntil;
    output.note(`the previous secret also signs messages until ${timestampText(until)}`);
    output.note("the new secret is shown only once:");
    output.result({ triggerId, secret, previousSecretUntil: timeOrNull(until) }, secret);
  },
});
