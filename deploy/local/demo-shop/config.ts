import { z } from "zod";
import { defineConfig } from "#shared/config/service-config.ts";
import { milliseconds, portNumber } from "#shared/config/variable-types.ts";

const file = z.string().min(1);

export const demoShopConfig = defineConfig("DEMO_SHOP", {
  host: z.string().default("127.0.0.1"),
  port: portNumber.describe("Port of the demo shop's page; 0 selects a free port"),
  factsFile: file.describe(
    "File demo.json that npm start writes: addresses, API key, and the path of the storefront platform's secret",
  ),
  signingSecretFile: file.describe("File with the webhook signing secret, or two secrets separated by white space"),
  receivedFile: file.describe("File to which the demo receiver appends each verified message"),
  certFile: file.describe("File with the certificate for 127.0.0.1 of the server of the products' pictures"),
  keyFile: file.describe("File with the key of this certificate"),
  mirrorFile: file.describe("SQLite database of the mirror; created if it is missing"),
  overdueMs: milliseconds
    .default(5_000)
    .describe("How long after an action its messages are overdue: normally they arrive within a second"),
});

/** The demo shop's parsed configuration. */
export type DemoShopConfig = ReturnType<typeof demoShopConfig.load>;
