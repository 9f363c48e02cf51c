import { z } from "zod";
import { readEnvironment } from "#shared/config/read-environment.ts";
import { portNumber } from "#shared/config/variable-types.ts";

const schema = z.object({
  /** HTTPS on 127.0.0.1. */
  RECEIVER_PORT: portNumber,
  /** PEM. */
  RECEIVER_CERT_FILE: z.string(),
  /** PEM. */
  RECEIVER_KEY_FILE: z.string(),
  /** Everything that comes is appended here. */
  RECEIVER_RECORD_FILE: z.string(),
  /** What it does where it wavers follows from it. */
  RECEIVER_SEED: z.coerce.number().int(),
});

/** The configuration of the webhook checker's receiver. */
export type ReceiverConfig = z.output<typeof schema>;

/** Reads it from environment variables. @throws ConfigError naming each variable at fault */
export function receiverConfig(env: Readonly<Record<string, string | undefined>>): ReceiverConfig {
  return readEnvironment(schema, env);
}
