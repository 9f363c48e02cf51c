import { z } from "zod";

/** The certificates of each worker, all of one store. */
const targets = z.array(z.object({ storeId: z.string(), certificateIds: z.array(z.string()).min(1) }));

/** Setup of registry-transfers.ts. */
export const registryTransfers = z.object({ registryAddress: z.string(), targets });

/** Setup of baseline-transfers.ts. */
export const baselineTransfers = z.object({
  uri: z.string(),
  targets,
  /** Whether workers share a store: the driver's `withTransaction` then retries conflicts; otherwise a conflict is an error. */
  conflicts: z.boolean(),
});

/** Setup of registry-imports.ts, with one worker per store. */
export const registryImports = z.object({
  registryAddress: z.string(),
  storeIds: z.array(z.string()),
  batchItems: z.number(),
});

/** Setup of baseline-imports.ts, with one worker per store. */
export const baselineImports = z.object({
  uri: z.string(),
  storeIds: z.array(z.string()),
  batchItems: z.number(),
  /** The registry's transaction, or `insertMany` without a transaction. */
  mode: z.enum(["transaction", "inserts"]),
});

/** Setup of baseline-posts.ts. */
export const baselinePosts = z.object({ port: z.number(), caPem: z.string(), workers: z.number() });

/** Setup of admissions.ts, with one worker per key. */
export const admissions = z.object({
  uri: z.string(),
  /** SHA-256 of each key, in hexadecimal. */
  keyHashes: z.array(z.string()).min(1),
  policy: z.object({ limit: z.number(), windowMs: z.number() }),
  /** The registry's decision about requests that it admits or refuses, or only `findOne` by the key's hash. */
  mode: z.enum(["admit", "refuse", "find_one"]),
});
