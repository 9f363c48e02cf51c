import type { Binary } from "mongodb";
import type { ListenToken } from "../../listening/listen-tokens.ts";
// The rules in services/registry/mongo/documents/documents.ts apply.

/** A valid or expired listen token; revoking it deletes the document. */
export interface ListenTokenDocument extends Omit<ListenToken, "id" | "storeId"> {
  /** SHA-256 of the token, in Base64url. */
  readonly _id: string;
  readonly store: string;
  /** The token's id, with the prefix `lst_`. */
  readonly token: string;
}

/** A message for listeners, in one of a store's places, which are used in turn. */
export interface ListenMessageDocument {
  /** The store's id, a slash and the number of the place. */
  readonly _id: string;
  readonly store: string;
  /** Consecutive number in the store; see `StoreDocument.listened`. */
  readonly number: number;
  readonly at: Date;
  /** The encoded events.v1.CertificateEvent. */
  readonly event: Binary;
  /** The id of the token whose listeners alone receive the message; absent if those of all tokens do. */
  readonly listener?: string;
}
