/** An administrative change to a store. The rules in services/registry/mongo/documents/documents.ts apply. */
export interface StoreHistoryDocument {
  readonly _id: string;
  readonly store: string;
  readonly at: Date;
  readonly action: string;
  readonly actor: string;
  readonly details: readonly { readonly name: string; readonly value: string }[];
}
