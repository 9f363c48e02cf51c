import { defineCommand } from "../../command/command.ts";
import { UsageError } from "../../output/usage-error.ts";
import { type SettingsOptions, settingsFields, storeDocument, storeLine, withSettings } from "./format.ts";

export const settingsSet = defineCommand<SettingsOptions>({
  name: "settings set",
  changes: "store",
  description:
    "change the store's settings, which apply to all its certificates, and print the store as 'store list' does",
  configure: (command) =>
    withSettings(command, {
      editionStyle: "default: unchanged",
      verifyBaseUrl: "'' for the service's own verification pages; default: unchanged",
      language: "default: unchanged",
      displayName: "'' for the store's domain; default: unchanged",
      ownerDisplay: "default: unchanged",
    }),
  async run({ selectStore, output, options }) {
    const { editionStyle, verifyBaseUrl, language, displayName, ownerDisplay } = options;
    if ([editionStyle, verifyBaseUrl, language, displayName, ownerDisplay].every((value) => value === undefined))
      throw new UsageError(
        "Give at least one setting: --edition-style, --verify-base-url, --language, --display-name or --owner-display.",
      );
    const fields = settingsFields(options);
    const { stores } = await selectStore();
    const { store } = await stores.updateSettings(fields);
    if (store !== undefined) output.result(storeDocument(store), storeLine(store));
  },
});
