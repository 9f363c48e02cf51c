import type { Collections } from "../../../services/registry/mongo/documents/collections.ts";
import type { CertificateVersion } from "./certificate-version.ts";

/** The state with which the clients' copies are compared, read directly from the database. */
export interface ExpectedState {
  /** The certificates of each store, by store id and then by certificate id. */
  readonly stores: ReadonlyMap<string, ReadonlyMap<string, CertificateVersion>>;
  /** The times of all changes, by store id. */
  readonly changedAt: ReadonlyMap<string, readonly string[]>;
}

type StateCollections = Pick<Collections, "certificates" | "history">;

/** Counts the changes in all stores. */
export function countChanges({ history }: StateCollections): Promise<number> {
  return history.countDocuments();
}

/** Reads the certificates and the change times of all stores. */
export async function readExpectedState({ certificates, history }: StateCollections): Promise<ExpectedState> {
  const stores = new Map<string, Map<string, CertificateVersion>>();
  const projection = { store: 1, updatedAt: 1, status: 1, owner: 1 };
  for await (const { _id: id, store, updatedAt, status, owner } of certificates.find({}, { projection })) {
    const versions = stores.get(store) ?? new Map<string, CertificateVersion>();
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
