import { type GivenSettings, parseSettings } from "./settings.ts";
import type { StoreDirectory, StoreRecord } from "./store-directory.ts";

/**
 * Changes settings that show in certificates (INTERFACE.md §2.1, `verifyUrl`; §2.3, `formatted`). They hold for
 * whatever is read from now on; no certificate's `updatedAt` changes.
 *
 * @param given what is left out stays
 * @throws ServiceError `bad_request` naming the field, `not_found`
 */
export async function updateSettings(
  stores: StoreDirectory,
  storeId: string,
  given: Partial<GivenSettings>,
): Promise<StoreRecord> {
  const { settings } = await stores.findStore({ storeId });
  const present = { ...settings, verifyBaseUrl: settings.verifyBaseUrl ?? "" };
  await stores.setSettings(storeId, parseSettings({ ...present, ...given }));
  return stores.findStore({ storeId });
}
