import { type Command, Option } from "commander";
import { EditionStyle, OwnerDisplay, Plan, type Store } from "#gen/registry/v1/store_admin_service_pb.js";
import { supportedLanguages } from "#shared/text/supported-languages.ts";
import { enumChoices, enumName } from "./enum-names.ts";

const editionStyles = new Map(
  [...enumChoices(EditionStyle)].map(([name, style]) => [name.replaceAll("_", "-"), style]),
);

const ownerDisplays = enumChoices(OwnerDisplay);

/** Command options for the store settings that appear on the store's certificates. */
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
 * @param defaults the phrase about the default that ends the help of each option
 */
export function withSettings(command: Command, defaults: Required<SettingsOptions>): Command {
  const owner = new Option(
    "--owner-display <what>",
    `what verification pages show of a certificate's owner; ${defaults.ownerDisplay}`,
  );
  const style = new Option("--edition-style <style>", `format of edition numbers; ${defaults.editionStyle}`);
  return command
    .addOption(style.choices([...editionStyles.keys()]))
    .option("--verify-base-url <url>", `https:// URL of verification links; ${defaults.verifyBaseUrl}`)
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

/** Formats a store in one line: id, domain, plan, edition style, language, base URL of verification links. */
export function storeLine({ id, shop, plan, editionStyle, language, verifyBaseUrl }: Store): string {
  const style = enumName(EditionStyle, editionStyle).replaceAll("_", "-");
  return [id, shop, enumName(Plan, plan), style, language, verifyBaseUrl || "-"].join("  ");
}
