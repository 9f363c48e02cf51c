import type { Registry } from "prom-client";
import type { NatsAccess } from "#shared/nats/nats-access.ts";
import type { Logger } from "#shared/observe/logger.ts";
import type { RegistryConfig } from "./config.ts";
import type { KnownCertificates } from "./diagnostics/certificate-checks.ts";
import type { Database } from "./mongo/opening/open-database.ts";
import type { RegistryOverrides } from "./registry-overrides.ts";
import type { SecretBox } from "./secrets/secret-box.ts";
import type { VerifyPlatformToken } from "./sessions/platform-token.ts";

/** What the registry's services are made from, once the database is open. */
export interface WiringDeps {
  readonly database: Database;
  readonly config: RegistryConfig;
  readonly box: SecretBox;
  readonly nats: NatsAccess;
  /** Undefined if no storefront platform is configured. */
  readonly verifyPlatformToken: VerifyPlatformToken | undefined;
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly certificates: KnownCertificates;
  readonly overrides: RegistryOverrides;
}
