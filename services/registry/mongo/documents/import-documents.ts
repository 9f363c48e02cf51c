import type { Binary } from "mongodb";
import type { Import, RejectedLine } from "../../imports/imports.ts";
import type { LeasedDocument } from "./leased-document.ts";

/** An import of certificates from a file. It is due while it waits for a replica or runs. */
export interface ImportDocument
  extends LeasedDocument,
    Pick<Import, "actor" | "fileName" | "createdAt" | "state" | "progress" | "fault"> {
  readonly store: string;
  /** Sizes of the file's parts in bytes, by part number. */
  readonly parts: Readonly<Record<string, number>>;
  /** How many replicas died or froze while they ran the import; absent: none. */
  readonly abandoned?: number;
  /** Present while a merchant has asked the run to stop. */
  readonly isStopping?: boolean;
}

/** A part of an import's file. */
export interface ImportPartDocument {
  /** {@link compoundKey} of its number. */
  readonly _id: string;
  readonly import: string;
  readonly store: string;
  readonly createdAt: Date;
  readonly content: Binary;
}

/** Rejected lines of an import: one document for many lines, because a file can have as many as it has lines. */
export interface RejectedLinesDocument {
  /** {@link compoundKey} of the group's number. */
  readonly _id: string;
  readonly import: string;
  readonly store: string;
  readonly createdAt: Date;
  readonly lines: readonly RejectedLine[];
}
