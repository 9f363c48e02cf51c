import { badRequest } from "#shared/errors/service-error.ts";
import type { EditionStyle } from "../certificates/edition.ts";
import { newId } from "../certificates/identifiers.ts";
import { parseSettings } from "./settings.ts";
import type { Plan } from "./store.ts";
import type { StoreDirectory, StoreRecord } from "./store-directory.ts";

/** What a new store is made from. */
export interface CreateStoreInput {
  readonly shop: string;
  readonly plan: Plan;
  readonly editionStyle: EditionStyle;
  /** Empty: the service's own address. */
  readonly verifyBaseUrl: string;
  /** Empty: `en`. */
  readonly language: string;
}

/**
 * Creates a store, or answers with the one that has this domain already, as it is.
 *
 * @throws ServiceError `bad_request` naming the field
 */
export async function createStore(stores: StoreDirectory, input: CreateStoreInput): Promise<StoreRecord> {
  if (!/^(?=.{1,253}$)[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(input.shop))
    throw badRequest("shop", "is not a domain in lower case");
  const settings = parseSettings({ ...input, language: input.language === "" ? "en" : input.language });
  return stores.createStore({ id: newId("sto"), shop: input.shop, plan: input.plan, settings });
}
