import { z } from "zod";
import { readEnvironment } from "#shared/config/read-environment.ts";
import { portNumber } from "#shared/config/variable-types.ts";

const schema = z.object({
  RECEIVER_HOST: z.string().default("127.0.0.1"),
  /** HTTPS. Required; 0 takes a free one. */
  RECEIVER_PORT: portNumber,
  /** PEM. Required. */
  RECEIVER_CERT_FILE: z.string(),
  /** PEM. Required. */
  RECEIVER_KEY_FILE: z.string(),
  /** Holds the webhook signing secret, or two of them while one is being replaced; white space parts them. Required. */
  RECEIVER_SECRET_FILE: z.string(),
  /** Verified messages are appended here, one JSON object per line. Default: nowhere. */
  RECEIVER_LOG_FILE: z.string().optional(),
});

/** The demo receiver's configuration. */
export type ReceiverConfig = z.output<typeof schema>;

/** Reads it from environment variables. @throws ConfigError naming each variable at fault */
export function receiverConfig(env: Readonly<Record<string, string | undefined>>): ReceiverConfig {
  return readEnvironment(schema, env);
}
