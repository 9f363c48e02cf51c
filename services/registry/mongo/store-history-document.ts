/** An administrative change to a store; see services/registry/mongo/documents.ts for the rules of stored documents. */
export interface StoreHistoryDocument {
  readonly _id: string;
  readonly store: string;
  readonly at: Date;
  readonly action: string;
  readonly actor: string;
  readonly details: readonly { readonly name: string; readonly value: string }[];
}
