import type { Collections } from "../../../services/registry/mongo/collections.ts";
import type { Version } from "./version.ts";

/** What really is, read from the database past everything that is under test. */
export interface Truth {
  /** For each store its certificates, by their ids. */
  readonly stores: ReadonlyMap<string, ReadonlyMap<string, Version>>;
  /** For each store the time of each change that was ever made. */
  readonly changedAt: ReadonlyMap<string, readonly string[]>;
}

type TruthCollections = Pick<Collections, "certificates" | "history">;

/** How many changes were made. */
export function countChanges({ history }: TruthCollections): Promise<number> {
  return history.countDocuments();
}

/** Reads it. */
export async function readTruth({ certificates, history }: TruthCollections): Promise<Truth> {
  const stores = new Map<string, Map<string, Version>>();
  const projection = { store: 1, updatedAt: 1, status: 1, owner: 1 };
  for await (const { _id: id, store, updatedAt, status, owner } of certificates.find({}, { projection })) {
    const versions = stores.get(store) ?? new Map<string, Version>();
    stores.set(store, versions);
    versions.set(id, { id, updatedAt: updatedAt.toISOString(), status, owner: owner.email });
  }
  const changedAt = new Map<string, string[]>();
  for await (const { store, at } of history.find({}, { projection: { store: 1, at: 1 } })) {
    const times = changedAt.get(store) ?? [];
    changedAt.set(store, times);
    times.push(at.toISOString());
  }
  return { stores, changedAt };
}
