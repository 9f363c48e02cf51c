import { badRequest } from "#shared/errors/service-error.ts";
import type { EditionStyle } from "../certificates/edition.ts";
import { httpsUrlProblem } from "./https-url.ts";
import type { StoreSettings } from "./store.ts";

/** Settings as a caller gives them. */
export interface GivenSettings {
  readonly editionStyle: EditionStyle;
  /** Empty: the service's own address. */
  readonly verifyBaseUrl: string;
  /** An RFC 5646 tag. */
  readonly language: string;
}

/** The settings in what a caller gave. @throws ServiceError `bad_request` naming the field */
export function parseSettings({ editionStyle, verifyBaseUrl, language }: GivenSettings): StoreSettings {
  if (!/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(language))
    throw badRequest("language", "is not an RFC 5646 tag");
  if (verifyBaseUrl === "") return { editionStyle, verifyBaseUrl: null, language };
  const problem = httpsUrlProblem(verifyBaseUrl);
  if (problem !== undefined) throw badRequest("verify_base_url", problem);
  // The certificate's id and the language are appended.
  if (verifyBaseUrl.includes("?")) throw badRequest("verify_base_url", "holds a query (?…)");
  return { editionStyle, verifyBaseUrl: verifyBaseUrl.replace(/\/+$/, ""), language };
}
