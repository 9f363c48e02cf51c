import { z } from "zod";
import { type Environment, readEnvironment } from "#shared/config/read-environment.ts";
import { portNumber } from "#shared/config/variable-types.ts";

const schema = z.object({
  /** HTTPS on 127.0.0.1. */
  RECEIVER_PORT: portNumber,
  /** PEM, as is the key. */
  RECEIVER_CERT_FILE: z.string(),
  RECEIVER_KEY_FILE: z.string(),
  /** Everything that arrives is appended to this file: see request-log.ts. */
  RECEIVER_LOG_FILE: z.string(),
  /** Determines the replies of the paths that waver. */
  RECEIVER_SEED: z.coerce.number().int(),
});

/** Configuration of the receiver's process. */
export type ReceiverConfig = z.output<typeof schema>;

/** Reads the configuration. @throws ConfigError naming each variable at fault */
export function receiverConfig(env: Environment): ReceiverConfig {
  return readEnvironment(schema, env);
}
