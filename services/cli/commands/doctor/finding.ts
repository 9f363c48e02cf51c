import type { Finding as RegistryFinding } from "#gen/registry/v1/diagnostics_service_pb.js";

/** The result of one check of `certctl doctor`, as the registry sends its own. */
export interface Finding extends Readonly<Omit<RegistryFinding, "$typeName" | "$unknown" | "state">> {
  readonly state: "ok" | "fault" | "skipped";
}

/** Returns the finding of a check that certctl makes itself. @param remedy undefined if the condition is true */
export function ownFinding(condition: string, seen: string, remedy?: string): Finding {
  return { part: "certctl", condition, state: remedy === undefined ? "ok" : "fault", seen, remedy: remedy ?? "" };
}
