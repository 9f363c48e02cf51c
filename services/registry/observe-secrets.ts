import { Counter, type Registry } from "prom-client";
import type { Logger } from "#shared/observe/logger.ts";
import type { SecretBox } from "./secrets/secret-box.ts";

/** A box whose failures to open are logged, with the store, and counted: its messages wait until somebody acts. */
export function observeSecrets(box: SecretBox, logger: Logger, metrics: Registry): SecretBox {
  const unreadable = new Counter({
    name: "registry_secrets_unreadable_total",
    help: "Signing secrets that could not be opened. While this grows, messages of a store are held back.",
    registers: [metrics],
  });
  return {
    ...box,
    open(stored, storeId) {
      try {
        return box.open(stored, storeId);
      } catch (error) {
        unreadable.inc();
        logger.error({ err: error, store: storeId }, "a signing secret cannot be opened; its messages wait");
        throw error;
      }
    },
  };
}
