import type { Clock } from "#shared/time/clock.ts";
import type { MongoLedgerDeps } from "./mongo/mongo-ledger.ts";
import type { AdmissionPlaces } from "./stores/admission.ts";

/** Overrides for tests and checkers. */
export interface RegistryOverrides extends Pick<MongoLedgerDeps, "advance" | "writesInOneCommand"> {
  /** Age at which a claim without an outcome counts as abandoned, in milliseconds. Default 60,000. */
  readonly claimLifeMs?: number;
  /** The rate-limit windows from which failed requests are removed. Default: the windows in the database. */
  readonly admissionPlaces?: AdmissionPlaces;
  /** Maximum number of requests in progress on one stream of an edge. Default: see ListExchange. */
  readonly requestsPerStreamMax?: number;
  /** Age at which gRPC connections are replaced, in milliseconds. Default: see `startServers`. */
  readonly connectionAgeMs?: number | undefined;
  /**
   * Time in which the calls on a connection that has reached this age must finish, in milliseconds. Default: see
   * `startServers`.
   */
  readonly connectionGraceMs?: number | undefined;
  readonly clock?: Clock;
}
