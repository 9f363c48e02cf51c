import type { OwnerDisplay } from "#shared/certificates/owner-text.ts";
import { badRequest } from "#shared/errors/service-error.ts";
import { reason } from "#shared/reasons/reason.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import { supportedLanguages } from "#shared/texts/languages.ts";
import type { RenderSettings, StoreSettings } from "../values/store.ts";
import { checkText } from "../values/text-rules.ts";
import { httpsUrlProblem, normalBaseUrl } from "./https-url.ts";
import type { StoreDirectory, StoreRecord } from "./store-directory.ts";

/** Settings as a caller sends them; the empty string as `verifyBaseUrl` means the service's own verification pages. */
export interface SettingsInput extends RenderSettings {
  /** The empty string selects the store's domain. */
  readonly displayName: string;
  readonly ownerDisplay: OwnerDisplay;
}

/** Validates and normalizes settings. @throws ServiceError `bad_request` naming the field */
export function parseSettings(input: SettingsInput): StoreSettings {
  const { editionStyle, verifyBaseUrl, language, displayName, ownerDisplay } = input;
  return {
    editionStyle,
    language: parseLanguage(language),
    verifyBaseUrl: parseVerifyBaseUrl(verifyBaseUrl),
    displayName: parseDisplayName(displayName),
    ownerDisplay,
  };
}

function parseDisplayName(name: string): string | null {
  checkText("display_name", name, textLimits.displayName);
  return name.trim() === "" ? null : name;
}

function parseLanguage(language: string): string {
  const supported = supportedLanguages.find((candidate) => candidate === language);
  if (supported === undefined)
    throw badRequest("language", reason("language_unsupported", { languages: supportedLanguages.join(", ") }));
  return supported;
}

function parseVerifyBaseUrl(url: string): string | null {
  if (url === "") return null;
  const problem = httpsUrlProblem(url);
  if (problem !== undefined) throw badRequest("verify_base_url", problem);
  // The link token and the language are appended to this URL, so it must not contain a query.
  if (url.includes("?")) throw badRequest("verify_base_url", reason("url_has_query"));
  const normal = normalBaseUrl(url);
  // Checked again, because percent-encoding can make a URL longer.
  checkText("verify_base_url", normal, textLimits.url);
  return normal;
}

/** Settings to change; undefined ones do not change. */
type SettingsChange = { readonly [Name in keyof SettingsInput]: SettingsInput[Name] | undefined };

/**
 * Changes the settings that appear in certificates (INTERFACE.md §2.1, `verifyUrl`; §2.3, `formatted`) and on their
 * verification pages. The new values apply to every certificate from its next read; its `updatedAt` does not change.
 *
 * @param settings settings to change; concurrent changes to omitted settings are preserved
 * @param expectedVersion see {@link StoreDirectory.changeSettings}
 * @throws ServiceError `bad_request` naming the field; otherwise as {@link StoreDirectory.changeSettings}
 */
export async function updateSettings(
  stores: StoreDirectory,
  storeId: string,
  { editionStyle, verifyBaseUrl, language, displayName, ownerDisplay }: SettingsChange,
  { actor, expectedVersion }: { readonly actor: string; readonly expectedVersion?: number | undefined },
): Promise<StoreRecord> {
  const settings = {
    ...(editionStyle === undefined ? {} : { editionStyle }),
    ...(verifyBaseUrl === undefined ? {} : { verifyBaseUrl: parseVerifyBaseUrl(verifyBaseUrl) }),
    ...(language === undefined ? {} : { language: parseLanguage(language) }),
    ...(displayName === undefined ? {} : { displayName: parseDisplayName(displayName) }),
    ...(ownerDisplay === undefined ? {} : { ownerDisplay }),
  };
  const details = Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, value ?? ""]));
  return stores.changeSettings(storeId, settings, { action: "settings.changed", actor, details }, expectedVersion);
}
