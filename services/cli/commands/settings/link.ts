import { defineCommand } from "../../command/command.ts";
import { timestampText } from "../../timestamp.ts";

export const settingsLink = defineCommand<{ readonly for?: string }>({
  name: "settings link",
  changes: "store",
  description:
    "create a link that opens the store's settings in a browser, valid for a single sign-in within 15 minutes",
  configure: (command) =>
    command.option(
      "--for <name>",
      "name of the person who will use the link, shown in the histories; default: certctl/<your user name>",
    ),
  async run({ selectStore, output, options }) {
    const { stores } = await selectStore();
    const { url, expiresAt } = await stores.createSettingsLink({ actor: options.for ?? "" });
    const expiry = timestampText(expiresAt);
    output.note(`this link allows a single sign-in and expires at ${expiry}:`);
    output.result({ url, expiresAt: expiry }, url);
  },
});
