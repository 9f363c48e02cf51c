import type { Binary } from "mongodb";
import type { FileFault, ImportProgress, ImportState } from "../../imports/imports.ts";

/** An import of certificates from a file. */
export interface ImportDocument {
  readonly _id: string;
  readonly store: string;
  readonly actor: string;
  readonly fileName: string;
  readonly createdAt: Date;
  readonly state: ImportState;
  /** Sizes of the file's parts in bytes, by part number. */
  readonly parts: Readonly<Record<string, number>>;
  readonly progress: ImportProgress;
  readonly fault: FileFault | null;
  /** The lease of the replica that runs the import. After `until`, any replica can claim the import. */
  readonly claim: { readonly token: string; readonly until: Date };
}

/** A part of an import's file. */
export interface ImportPartDocument {
  readonly _id: { readonly import: string; readonly number: number };
  readonly store: string;
  readonly createdAt: Date;
  readonly content: Binary;
}

/** A rejected line of an import. */
export interface RejectedLineDocument {
  readonly _id: { readonly import: string; readonly number: number };
  readonly store: string;
  readonly createdAt: Date;
  readonly line: number;
  readonly column: string;
  readonly reason: string;
}
