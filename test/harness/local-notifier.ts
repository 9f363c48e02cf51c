import { notifierConfig } from "../../services/notifier/config.ts";
import { run } from "../../services/notifier/run.ts";
import { createScannedLogger } from "./log-scan/scanned-logger.ts";

/**
 * Starts a notifier in the test's process. The notifier may also deliver to receivers at 127.0.0.1. `stop` throws if
 * the notifier has logged a key, secret, cursor or e-mail address.
 *
 * @param address gRPC address of the registry, `host:port`
 * @param more variables that override the configuration
 */
export async function startLocalNotifier(
  { address, natsUrl }: { readonly address: string; readonly natsUrl: string },
  more: Readonly<Record<string, string>> = {},
) {
  const config = notifierConfig.load({
    NOTIFIER_REGISTRY_ADDRESS: address,
    NOTIFIER_NATS_SERVERS: natsUrl,
    NOTIFIER_GRPC_TLS: "off",
    NOTIFIER_HOST: "127.0.0.1",
    NOTIFIER_OPERATIONS_PORT: "0",
    NOTIFIER_ALLOWED_NETWORKS: "127.0.0.1/32",
    NOTIFIER_SHUTDOWN_GRACE_MS: "100",
    // Longer than any test's time limit, so that no delivery to a hanging receiver times out before the test ends.
    NOTIFIER_REPLY_TIMEOUT_MS: "600000",
    ...more,
  });
  const { logger, requireClean } = createScannedLogger("notifier");
  const notifier = await run(config, logger);
  return {
    ...notifier,
    stop: async () => {
      await notifier.stop();
      requireClean();
    },
  };
}
