import { DiagnosticsService } from "#gen/registry/v1/diagnostics_service_pb.js";
import { type Clock, steadyClock } from "#shared/time/clock.ts";
import type { KnownCertificates } from "./diagnostics/certificate-checks.ts";
import { checksOf, diagnose } from "./diagnostics/diagnose.ts";
import type { Database } from "./mongo/opening/open-database.ts";
import { serverChecks } from "./mongo/opening/server-checks.ts";
import { natsChecks } from "./outbox/nats-checks.ts";
import { type OutboxSubject, outboxChecks } from "./outbox/outbox-checks.ts";
import type { RunningRelay } from "./outbox/start-relay.ts";
import { diagnosticsService } from "./rpc/diagnostics-service.ts";
import { type OfferedService, offer } from "./rpc/offered-service.ts";

interface DiagnosedParts extends OutboxSubject {
  readonly database: Pick<Database, "reads">;
  readonly relay: Pick<RunningRelay, "natsSubject">;
  readonly certificates: KnownCertificates;
  /** The wall clock. */
  readonly clock: Clock;
}

/** Creates the service with which operators check the database, NATS, the outbox and the TLS certificates. */
export function wireDiagnostics(parts: DiagnosedParts): OfferedService {
  const { database, relay, certificates, clock } = parts;
  const run = () =>
    diagnose(
      [
        ...checksOf("database", serverChecks, () => database.reads.client),
        ...checksOf("NATS", natsChecks, relay.natsSubject),
        ...checksOf("registry", outboxChecks, () => parts),
        ...certificates.checks(clock),
      ],
      steadyClock,
    );
  return offer(DiagnosticsService, diagnosticsService({ diagnose: run, clock }));
}
