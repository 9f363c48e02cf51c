import type { PublicCertificate } from "#shared/certificates/public-certificate.ts";
import type { RegistryClients } from "../../harness/stack/registry-clients.ts";
import { createTestApiKey, createTestStore } from "../../harness/test-stores.ts";

/** A store with the certificates that writers have issued in it. */
export interface WorkloadStore {
  readonly id: string;
  /** Ids of the certificates that were confirmed as issued, in the order of confirmation. */
  readonly certificateIds: string[];
  /** Statuses of the certificates after the confirmed operations, by id. Without an entry, a certificate is active. */
  readonly states: Map<string, PublicCertificate["status"]>;
  /** Number of orders used for imports. */
  orders: number;
  /** Number of operations in progress that take unusually long: a killed registry may have left the store locked. */
  delayed: number;
}

/** Deadline of the writers' calls, in milliseconds: short enough that some calls end with an unknown outcome. */
export const writerTimeoutMs = 5_000;

/** Environment variables that set a registry's rate limit so high that it has no effect. */
export const unlimited = { REGISTRY_RATE_LIMIT: "10000", REGISTRY_RATE_LIMIT_WINDOW_MS: "1000" };

/** Creates a store without certificates. */
export async function createWorkloadStore(registry: Pick<RegistryClients, "admin">): Promise<WorkloadStore> {
  return { id: await createTestStore(registry), certificateIds: [], states: new Map(), orders: 0, delayed: 0 };
}

/** Creates a store without certificates, and an API key for it. */
export async function createStoreWithKey(registry: Pick<RegistryClients, "admin">) {
  const store = await createWorkloadStore(registry);
  const { apiKey } = await createTestApiKey(registry, store.id);
  return { ...store, apiKey };
}

export type StoreWithKey = Awaited<ReturnType<typeof createStoreWithKey>>;
