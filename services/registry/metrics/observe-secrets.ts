import { Counter, type Registry } from "prom-client";
import type { Logger } from "#shared/observe/logger.ts";
import type { SecretBox } from "../secrets/secret-box.ts";

/** Wraps a secret box: secrets that cannot be decrypted are counted and logged with their store. */
export function observeSecrets(box: SecretBox, logger: Logger, metrics: Registry): SecretBox {
  const unreadable = new Counter({
    name: "registry_secrets_unreadable_total",
    help: "Failed attempts to decrypt a signing secret. While it increases, messages of a store are held back.",
    registers: [metrics],
  });
  return {
    ...box,
    open(stored, storeId) {
      try {
        return box.open(stored, storeId);
      } catch (error) {
        unreadable.inc();
        logger.error({ err: error, store: storeId }, "cannot decrypt a signing secret; its messages wait");
        throw error;
      }
    },
  };
}
