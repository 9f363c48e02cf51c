import { type Command, Option } from "commander";
import { EditionStyle, OwnerDisplay, Plan, type Store } from "#gen/registry/v1/store_admin_service_pb.js";
import { supportedLanguages } from "#shared/texts/languages.ts";
import { enumChoices, enumName } from "../../command/enum-names.ts";
import type { ListFormat } from "../../output/output.ts";

const editionStyles = new Map(
  [...enumChoices(EditionStyle)].map(([name, style]) => [name.replaceAll("_", "-"), style]),
);

const ownerDisplays = enumChoices(OwnerDisplay);

/** The options for the settings of a store. */
export interface SettingsOptions {
  readonly editionStyle?: string;
  readonly verifyBaseUrl?: string;
  readonly language?: string;
  readonly displayName?: string;
  readonly ownerDisplay?: string;
}

/**
 * Adds the options for store settings.
 *
 * @param defaults for each option, the end of its help text, which states the default
 */
export function withSettings(command: Command, defaults: Required<SettingsOptions>): Command {
  const owner = new Option(
    "--owner-display <what>",
    `what verification pages show about a certificate's owner; ${defaults.ownerDisplay}`,
  );
  const style = new Option("--edition-style <style>", `format of edition numbers; ${defaults.editionStyle}`);
  return command
    .addOption(style.choices([...editionStyles.keys()]))
    .option("--verify-base-url <url>", `https:// base URL of verification links; ${defaults.verifyBaseUrl}`)
    .option(
      "--language <tag>",
      `language of verification pages: ${supportedLanguages.join(", ")}; ${defaults.language}`,
    )
    .option("--display-name <name>", `name of the store on verification pages; ${defaults.displayName}`)
    .addOption(owner.choices([...ownerDisplays.keys()]));
}

/** Converts the options to request fields; a field without an option remains unset. */
export function settingsFields({ editionStyle, verifyBaseUrl, language, displayName, ownerDisplay }: SettingsOptions) {
  return {
    editionStyle: editionStyles.get(editionStyle ?? "") ?? EditionStyle.UNSPECIFIED,
    ...(verifyBaseUrl === undefined ? {} : { verifyBaseUrl }),
    ...(language === undefined ? {} : { language }),
    ...(displayName === undefined ? {} : { displayName }),
    ownerDisplay: ownerDisplays.get(ownerDisplay ?? "") ?? OwnerDisplay.UNSPECIFIED,
  };
}

const styleName = ({ editionStyle }: Store) => enumName(EditionStyle, editionStyle).replaceAll("_", "-");

/** The format of a store in lists. Only the JSON contains the display name and the owner display. */
export const storeFormat: ListFormat<Store> = {
  columns: [
    { title: "ID", value: ({ id }) => id, isWhole: true },
    { title: "DOMAIN", value: ({ shop }) => shop },
    { title: "PLAN", value: ({ plan }) => enumName(Plan, plan) },
    { title: "EDITION STYLE", value: styleName },
    { title: "LANGUAGE", value: ({ language }) => language },
    { title: "VERIFY BASE URL", value: ({ verifyBaseUrl }) => verifyBaseUrl || "-" },
  ],
  toJson: storeDocument,
};

/** Returns the document of a store for `--json`; unset values are null. */
export function storeDocument(store: Store): object {
  const { id, shop, plan, language, verifyBaseUrl, displayName, ownerDisplay } = store;
  const settings = { editionStyle: styleName(store), language, verifyBaseUrl: verifyBaseUrl || null };
  const page = { displayName: displayName || null, ownerDisplay: enumName(OwnerDisplay, ownerDisplay) };
  return { id, shop, plan: enumName(Plan, plan), ...settings, ...page };
}

/** Formats a store in one line: id, domain, plan, edition style, language, base URL of verification links. */
export function storeLine(store: Store): string {
  return storeFormat.columns.map(({ value }) => value(store)).join("  ");
}
