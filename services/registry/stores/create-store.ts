import { badRequest } from "#shared/errors/service-error.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import { supportedLanguages } from "#shared/texts/languages.ts";
import { newId } from "../values/identifiers.ts";
import { checkText } from "../values/text-rules.ts";
import { parseSettings, type SettingsInput } from "./settings.ts";
import type { StoreDirectory, StoreRecord } from "./store-directory.ts";
import type { StoreChange } from "./store-history.ts";

/** A request to create a store. */
type CreateStoreInput = SettingsInput & Pick<StoreRecord, "shop" | "plan"> & { readonly actor: string };

/**
 * Creates a store. If a store with this domain exists, returns that store unchanged.
 *
 * @param input the empty string as `language` means `en`
 * @throws ServiceError `bad_request` naming the field
 */
export async function createStore(stores: StoreDirectory, input: CreateStoreInput): Promise<StoreRecord> {
  checkText("shop", input.shop, textLimits.shop);
  if (!/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(input.shop))
    throw badRequest("shop", "must be a domain in lower-case ASCII, such as shop.example");
  const language = input.language === "" ? supportedLanguages[0] : input.language;
  const settings = parseSettings({ ...input, language });
  const { actor, shop, plan } = input;
  const change: StoreChange = { action: "store.created", actor, details: { shop, plan } };
  return stores.createStore({ id: newId("sto"), shop, plan, settings }, change);
}
