import { Counter, type Registry } from "prom-client";
import type { Logger } from "#shared/observe/logger.ts";
import type { SecretBox } from "../secrets/secret-box.ts";

/** Wraps a secret box so that each failed decryption is counted, and logged with the store's id. */
export function observeSecrets(box: SecretBox, logger: Logger, metrics: Registry): SecretBox {
  const unreadable = new Counter({
    name: "registry_secrets_unreadable_total",
    help: "Failed attempts to decrypt a signing secret. While this counter increases, messages of at least one store are held back.",
    registers: [metrics],
  });
  return {
    ...box,
    open(stored, storeId) {
      try {
        return box.open(stored, storeId);
      } catch (error) {
        unreadable.inc();
        logger.error(
          { err: error, storeId },
          "cannot decrypt a signing secret; the messages that it signs are held back",
        );
        throw error;
      }
    },
  };
}
