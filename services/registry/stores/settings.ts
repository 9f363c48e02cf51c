import { badRequest } from "#shared/errors/service-error.ts";
import type { RenderSettings, StoreSettings } from "../values/store.ts";
import { httpsUrlProblem } from "./https-url.ts";
import type { StoreDirectory, StoreRecord } from "./store-directory.ts";

/** Settings as a caller sends them; an empty `verifyBaseUrl` means the service's own verification pages. */
export type SettingsInput = RenderSettings;

/** Validates and normalizes settings. @throws ServiceError `bad_request` naming the field */
export function parseSettings({ editionStyle, verifyBaseUrl, language }: SettingsInput): StoreSettings {
  if (!/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(language)) throw badRequest("language", "is not an RFC 5646 tag");
  if (verifyBaseUrl === "") return { editionStyle, verifyBaseUrl: null, language };
  const problem = httpsUrlProblem(verifyBaseUrl);
  if (problem !== undefined) throw badRequest("verify_base_url", problem);
  // The certificate's id and the language are appended to this URL, so it must not contain a query.
  if (verifyBaseUrl.includes("?")) throw badRequest("verify_base_url", "contains a query (?…)");
  return { editionStyle, verifyBaseUrl: verifyBaseUrl.replace(/\/+$/, ""), language };
}

/**
 * Changes the settings that appear in certificates (INTERFACE.md §2.1, `verifyUrl`; §2.3, `formatted`). The new values
 * apply to every certificate from the next read on and leave `updatedAt` unchanged.
 *
 * @param changes omitted settings keep their values
 * @throws ServiceError `bad_request` naming the field, `not_found`
 */
export async function updateSettings(
  stores: StoreDirectory,
  storeId: string,
  changes: Partial<SettingsInput>,
): Promise<StoreRecord> {
  const { settings } = await stores.findStore({ storeId });
  const current = { ...settings, verifyBaseUrl: settings.verifyBaseUrl ?? "" };
  await stores.setSettings(storeId, parseSettings({ ...current, ...changes }));
  return stores.findStore({ storeId });
}
