import type { Registry } from "prom-client";
import type { NatsAccess } from "#shared/nats/nats-access.ts";
import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { AdmissionPlaces } from "./admissions/admission.ts";
import type { RegistryConfig } from "./config.ts";
import type { KnownCertificates } from "./diagnostics/certificate-checks.ts";
import type { ReadOrders } from "./imports/read-orders.ts";
import type { MongoLedgerDeps } from "./mongo/certificates/mongo-ledger.ts";
import type { Database } from "./mongo/opening/open-database.ts";
import type { SecretBox } from "./secrets/secret-box.ts";
import type { VerifyPlatformToken } from "./sessions/platform-token.ts";
import type { StoreBound } from "./storefront/room-per-store.ts";

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

/** Overrides of the registry's defaults, for tests and the checks in test/checks. */
export interface RegistryOverrides extends Pick<MongoLedgerDeps, "advance" | "writesInOneCommand"> {
  /** Age at which a delivery claim without an outcome counts as abandoned, in milliseconds. Default 60,000. */
  readonly claimLifeMs?: number;
  /** The rate-limit windows from which failed requests are removed. Default: the windows in the database. */
  readonly admissionPlaces?: AdmissionPlaces;
  /** The bound on a store's products whose tags are stored. Default: 100,000. */
  readonly storefrontProducts?: StoreBound;
  /** Maximum number of requests in progress on one stream of an edge. Default 4,000. */
  readonly requestsPerStreamMax?: number;
  /** Age at which a gRPC connection stops accepting new calls, in milliseconds. Default 15 minutes. */
  readonly connectionAgeMs?: number | undefined;
  /** Reads the files of imports. Default: each in a thread of its own. */
  readonly readOrders?: ReadOrders;
  readonly clock?: Clock;
  /** The database's clock. Default: as the heartbeats report it. */
  readonly databaseClock?: Clock;
}
