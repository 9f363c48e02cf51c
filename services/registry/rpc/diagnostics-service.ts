import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { DiagnosticsService, FindingState } from "#gen/registry/v1/diagnostics_service_pb.js";
import type { Clock } from "#shared/time/clock.ts";
import type { Finding } from "../diagnostics/diagnose.ts";
import { type OfferedService, offer } from "./offered-service.ts";

const states = { passed: FindingState.OK, failed: FindingState.FAULT, skipped: FindingState.SKIPPED };

interface DiagnosticsDeps {
  readonly diagnose: () => Promise<readonly Finding[]>;
  /** Wall clock; its time is part of the response. */
  readonly clock: Pick<Clock, "now">;
}

/** Implements DiagnosticsService: translates between its messages and the domain. */
export function diagnosticsService({ diagnose, clock }: DiagnosticsDeps): OfferedService {
  return offer(DiagnosticsService, {
    async runDiagnostics() {
      const findings = await diagnose();
      return { findings: findings.map(findingMessage), registryTime: timestampFromMs(clock.now()) };
    },
  });
}

function findingMessage({ part, name, result, seen, remedy }: Finding) {
  return { part, condition: name, state: states[result], seen, remedy: result === "failed" ? remedy : "" };
}
