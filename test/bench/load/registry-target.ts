import { z } from "zod";

const files = z.object({ cert: z.string(), key: z.string(), ca: z.string() });

/**
 * The registry that a load process calls: its address and, with TLS, the certificate and key files of the registry and
 * its callers.
 */
export const registryTarget = z.object({
  address: z.string(),
  grpc: z.object({ registry: files, edge: files, notifier: files, operator: files }).optional(),
});
