/** Configuration of a notifier in a test: everything is on this machine, the receivers too. */
export const localNotifierEnv = {
  NOTIFIER_HOST: "127.0.0.1",
  NOTIFIER_OPERATIONS_PORT: "0",
  NOTIFIER_ALLOWED_NETWORKS: "127.0.0.1/32",
  NOTIFIER_SHUTDOWN_GRACE_MS: "100",
} as const;
