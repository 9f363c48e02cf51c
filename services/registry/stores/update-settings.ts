import { parseSettings, type SettingsInput } from "./settings.ts";
import type { StoreDirectory, StoreRecord } from "./store-directory.ts";

/**
 * Changes the settings that appear in certificates (INTERFACE.md §2.1, `verifyUrl`; §2.3, `formatted`). They apply to every
 * certificate from the next read on; no `updatedAt` changes.
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
