import type { z } from "zod";
import { file, natsServers } from "../config/variable-types.ts";

/** The variables of a service that connects to NATS, to be spread into its `defineConfig`. */
export const natsVariables = {
  natsServers,
  natsCredentialsFile: file.describe("Credentials file (.creds) with the NATS user's JWT and NKey seed"),
  natsNkeyFile: file.describe("File with the NATS user's NKey seed"),
  natsCertFile: file.describe("PEM file with the client certificate for NATS; requires the key file"),
  natsKeyFile: file.describe("PEM file with the private key of the client certificate for NATS"),
  natsCaFile: file.describe(
    "PEM file with the certificates of the authorities that sign the NATS servers' certificates",
  ),
};

/** The parsed values of {@link natsVariables}. */
export type NatsSettings = z.output<z.ZodObject<typeof natsVariables>>;
