import { badRequest } from "#shared/errors/service-error.ts";
import type { EditionStyle } from "../certificates/edition.ts";
import { newId } from "../certificates/identifiers.ts";
import { httpsUrlProblem } from "./https-url.ts";
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
  const language = input.language === "" ? "en" : input.language;
  if (!/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(language))
    throw badRequest("language", "is not an RFC 5646 tag");
  if (input.verifyBaseUrl !== "") {
    const problem = httpsUrlProblem(input.verifyBaseUrl);
    if (problem !== undefined) throw badRequest("verify_base_url", problem);
    if (input.verifyBaseUrl.includes("?")) throw badRequest("verify_base_url", "holds a query (?…)");
  }
  return stores.createStore({
    id: newId("sto"),
    shop: input.shop,
    plan: input.plan,
    settings: {
      editionStyle: input.editionStyle,
      verifyBaseUrl: input.verifyBaseUrl === "" ? null : input.verifyBaseUrl.replace(/\/+$/, ""),
      language,
    },
  });
}
