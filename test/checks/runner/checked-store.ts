import { createTestStore } from "../../harness/test-stores.ts";
import type { RegistryCalls } from "./registry-calls.ts";

/** A store, as writers know it. */
export interface CheckedStore {
  readonly id: string;
  /** Ids of certificates that writers were told of, in the order in which they heard of them. */
  readonly certificateIds: string[];
  /** How many orders were used up. */
  orders: number;
}

/** Addresses of owners: few enough for each to own many certificates, and for transfers back and forth. */
export const ownerEmails: readonly string[] = Array.from({ length: 12 }, (_, n) => `Owner${n}@example.test`);

/** Creates a store. */
export async function createCheckedStore({ admin }: RegistryCalls): Promise<CheckedStore> {
  return { id: await createTestStore({ admin }), certificateIds: [], orders: 0 };
}
