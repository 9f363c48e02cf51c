import { loadConfig, type NotifierConfig } from "../../services/notifier/config.ts";

/** What a notifier works with. */
export interface NotifierPlace {
  /** The registry's `host:port`. */
  readonly address: string;
  readonly natsUrl: string;
}

/** Configuration of a notifier in a test: everything is on this machine, the receivers too. @param more goes before it */
export function localNotifierConfig(
  { address, natsUrl }: NotifierPlace,
  more: Readonly<Record<string, string>> = {},
): NotifierConfig {
  return loadConfig({
    NOTIFIER_REGISTRY_ADDRESS: address,
    NOTIFIER_NATS_SERVERS: natsUrl,
    NOTIFIER_HOST: "127.0.0.1",
    NOTIFIER_OPERATIONS_PORT: "0",
    NOTIFIER_ALLOWED_NETWORKS: "127.0.0.1/32",
    NOTIFIER_SHUTDOWN_GRACE_MS: "100",
    // A receiver that hangs does so for the whole test.
    NOTIFIER_REPLY_TIMEOUT_MS: "60000",
    ...more,
  });
}
