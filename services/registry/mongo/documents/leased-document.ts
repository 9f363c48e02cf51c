/** A stored lease. Its times are 64-bit integers: milliseconds since 1970 on the database's clock. */
export interface StoredLease {
  readonly token: string;
  readonly until: number;
  /** When the document became due before it was first claimed; null if it was not due. */
  readonly since: number | null;
  /** How many leases of this work have expired, one after the other. */
  readonly abandoned: number;
  /** How often the document had been woken when it was claimed. */
  readonly wakes: number;
}

/** A document that stands for work which one worker at a time does. */
export interface LeasedDocument {
  readonly _id: string;
  /** When the document can be claimed; absent if there is nothing to do. */
  readonly dueAt?: Date;
  /** How often something has made the document due; absent means 0, or that only claims and their ends do. */
  readonly wakes?: number;
  /** Absent unless a worker has claimed the document. */
  readonly lease?: StoredLease;
}
