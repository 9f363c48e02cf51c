import { z } from "zod";
import { readEnvironment } from "#shared/config/read-environment.ts";
import { portNumber } from "#shared/config/variable-types.ts";

const schema = z.object({
  RECEIVER_HOST: z.string().default("127.0.0.1"),
  /** HTTPS port. Required; 0 selects a free one. */
  RECEIVER_PORT: portNumber,
  /** PEM. Required. */
  RECEIVER_CERT_FILE: z.string(),
  /** PEM. Required. */
  RECEIVER_KEY_FILE: z.string(),
  /** Contains the webhook signing secret, or two separated by white space during a rotation. Required. */
  RECEIVER_SECRET_FILE: z.string(),
  /** File to which verified messages are appended, one JSON object per line. Default: none. */
  RECEIVER_LOG_FILE: z.string().optional(),
});

/** The demo receiver's configuration. */
export type ReceiverConfig = z.output<typeof schema>;

/** Reads the configuration from environment variables. @throws ConfigError with each invalid variable */
export function receiverConfig(env: Readonly<Record<string, string | undefined>>): ReceiverConfig {
  return readEnvironment(schema, env);
}
