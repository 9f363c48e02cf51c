import { z } from "zod";
import { defineConfig } from "#shared/config/service-config.ts";
import { portNumber } from "#shared/config/variable-types.ts";

const file = z.string().min(1);

export const receiverConfig = defineConfig("RECEIVER", {
  host: z.string().default("127.0.0.1"),
  port: portNumber.describe("HTTPS port; 0 selects a free port"),
  certFile: file.describe("Certificate chain, PEM"),
  keyFile: file.describe("Private key of the certificate, PEM"),
  secretFile: file.describe("File with the signing secret or, during a rotation, two secrets separated by white space"),
  logFile: file.optional().describe("File to which verified messages are appended, one JSON object per line"),
});

/** The demo receiver's parsed configuration. */
export type ReceiverConfig = ReturnType<typeof receiverConfig.load>;
