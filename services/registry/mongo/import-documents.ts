import type { Binary } from "mongodb";
import type { FileFault, ImportProgress, ImportState } from "../imports/imports.ts";

/** An import of certificates from a file. */
export interface ImportDocument {
  readonly _id: string;
  readonly store: string;
  readonly actor: string;
  readonly fileName: string;
  readonly createdAt: Date;
  readonly state: ImportState;
  /** The size of each part of the file in bytes, by the number of the part. */
  readonly parts: Readonly<Record<string, number>>;
  readonly progress: ImportProgress;
  readonly fault: FileFault | null;
  /** The lease of the replica that runs the import. If `until` is in the past, no replica runs it. */
  readonly claim: { readonly token: string; readonly until: Date };
}

/** A part of the file of an import. */
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
