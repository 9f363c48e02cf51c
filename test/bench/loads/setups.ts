import { z } from "zod";

/** What each worker transfers: certificates of one store, one after the other. */
const targets = z.array(z.object({ storeId: z.string(), certificateIds: z.array(z.string()).min(1) }));

/** Setup of registry-transfers.ts. */
export const registryTransfers = z.object({ registryAddress: z.string(), targets });

/** Setup of bare-transfers.ts. */
export const bareTransfers = z.object({
  uri: z.string(),
  targets,
  /** Whether workers share a store: then the driver's `withTransaction` tries again, else no transaction is repeated. */
  conflicts: z.boolean(),
});

/** Setup of registry-imports.ts: one worker for each store. */
export const registryImports = z.object({
  registryAddress: z.string(),
  storeIds: z.array(z.string()),
  batchItems: z.number(),
});

/** Setup of bare-imports.ts: one worker for each store. */
export const bareImports = z.object({
  uri: z.string(),
  storeIds: z.array(z.string()),
  batchItems: z.number(),
  /** The registry's transaction, or `insertMany` and nothing else. */
  way: z.enum(["transaction", "inserts"]),
});

/** Setup of bare-posts.ts. */
export const barePosts = z.object({ port: z.number(), caPem: z.string(), workers: z.number() });

/** Setup of admissions.ts: one worker for each key. */
export const admissions = z.object({
  uri: z.string(),
  /** SHA-256 of each key, in hexadecimal. */
  keyHashes: z.array(z.string()).min(1),
  policy: z.object({ limit: z.number(), windowMs: z.number() }),
  /** The registry's decision, about requests that are admitted or refused, or `findOne` by the key's hash and nothing else. */
  way: z.enum(["admit", "refuse", "find_one"]),
});
