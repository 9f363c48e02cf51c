import { lineOf, listen } from "../../../client/listen/listen.ts";
import { defineCommand } from "../../command/command.ts";
import { type ListenTargetOptions, withListenTarget, withListenToken } from "./listen-target.ts";

export const webhookListen = defineCommand<ListenTargetOptions & { readonly forwardTo?: string }>({
  name: "webhook listen",
  changes: "nothing",
  isOffline: true,
  description:
    "receive copies of a store's webhook messages through the public API, and forward each to a local server",
  configure: (command) =>
    withListenTarget(command).option(
      "--forward-to <url>",
      "URL of the local server, such as http://localhost:3000/hook; default: only print the messages",
    ),
  run: ({ output, options }) =>
    withListenToken(options, (target) =>
      listen({
        ...target,
        forwardTo: options.forwardTo,
        onReady: ({ signingSecret, expiresAt }) =>
          output.note(`listening until ${expiresAt}; messages are signed with ${signingSecret}`),
        onMessage: (message) => output.result(message, lineOf(message)),
        onNote: output.note,
      }),
    ),
});
