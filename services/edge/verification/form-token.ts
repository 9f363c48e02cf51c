import { randomBytes } from "node:crypto";
import type { Keys } from "#shared/keys/key-files.ts";
import { TextSigner } from "../sealing/text-signer.ts";

// Limits on a form's age, in milliseconds. Only a program fills in a form in less than the minimum.
const ageMinMs = 2_000;
const ageMaxMs = 12 * 3_600_000;
// How far replicas' clocks may be apart. A form from further ahead was served before a clock was set back, and would
// be too early for as long as that.
const aheadMaxMs = 60_000;

/** The result of checking a form token. */
export type FormTokenCheck =
  /** `nonce` is different for each form that was served; a form that is sent twice has the same nonce both times. */
  | { readonly state: "valid"; readonly nonce: string }
  /** The form was sent within {@link ageMinMs}. Its token becomes valid. */
  | { readonly state: "early" }
  /** The token is too old, altered, missing, another link's, or from before the clock was set back. */
  | { readonly state: "refused" };

/**
 * Creates and checks the signed tokens of forms. A token is valid only for the link for which it was created, and only
 * from two seconds to twelve hours after its creation. Each replica accepts the tokens that other replicas created. The
 * forms of the settings are bound to a session instead, which visitors do not have.
 */
export class FormTokens {
  readonly #signer: TextSigner;

  /** @param keys the first key signs, every key verifies */
  constructor(keys: Keys) {
    this.#signer = new TextSigner("report form", keys);
  }

  /** Creates the token of a form. @param nowMs milliseconds since the Unix epoch */
  create(linkToken: string, nowMs: number): string {
    const content = `${nowMs.toString(36)}.${randomBytes(16).toString("hex")}`;
    return `${content}.${this.#signer.sign(`${linkToken}\n${content}`)}`;
  }

  check(linkToken: string, token: string, nowMs: number): FormTokenCheck {
    const [time = "", nonce = "", signature = ""] = token.split(".");
    const isSigned = this.#signer.accepts(`${linkToken}\n${time}.${nonce}`, signature);
    const ageMs = nowMs - Number.parseInt(time, 36);
    if (!isSigned || ageMs > ageMaxMs || ageMs < -aheadMaxMs) return { state: "refused" };
    return ageMs < ageMinMs ? { state: "early" } : { state: "valid", nonce };
  }
}
