import { Argument } from "commander";
import { eventNames } from "#shared/events/event-name.ts";
import { sendSample } from "../../../client/listen/listen-api.ts";
import { defineCommand } from "../../command/command.ts";
import { type ListenTargetOptions, withListenTarget, withListenToken } from "./listen-target.ts";

export const webhookTrigger = defineCommand<ListenTargetOptions>({
  name: "webhook trigger",
  changes: "nothing",
  isOffline: true,
  description: "send a test message about a sample certificate to those who listen with the token; print its id",
  configure: (command) =>
    withListenTarget(command).addArgument(new Argument("<event>", "what the message reports").choices(eventNames)),
  async run({ output, options, args: [event = ""] }) {
    const deliveryId = await withListenToken(options, (target) => sendSample(target, event));
    output.result({ deliveryId }, deliveryId);
  },
});
