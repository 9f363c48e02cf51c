import { z } from "zod";
import { type Environment, readEnvironment } from "#shared/config/read-environment.ts";
import { portNumber } from "#shared/config/variable-types.ts";

const schema = z.object({
  /** Port for HTTPS on 127.0.0.1. */
  RECEIVER_PORT: portNumber,
  /** PEM file. */
  RECEIVER_CERT_FILE: z.string(),
  /** PEM file. */
  RECEIVER_KEY_FILE: z.string(),
  /** Log with every received byte, in the format of request-log-writer.ts. */
  RECEIVER_LOG_FILE: z.string(),
  /** Seed of the random reactions to requests whose path begins with `/wavers/`. */
  RECEIVER_SEED: z.coerce.number().int(),
});

/** Configuration of the receiver's process. */
type ReceiverConfig = z.output<typeof schema>;

/** Reads the configuration. @throws ConfigError naming each invalid variable */
export function receiverConfig(env: Environment): ReceiverConfig {
  return readEnvironment(schema, env);
}
