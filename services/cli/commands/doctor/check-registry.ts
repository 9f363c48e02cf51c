import { timestampMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { FindingState } from "#gen/registry/v1/diagnostics_service_pb.js";
import { valueName } from "#shared/enums/named-values.ts";
import { ServiceError } from "#shared/errors/service-error.ts";
import { clockSkewMs } from "#shared/time/clock-skew.ts";
import { describeError } from "../../output/describe-error.ts";
import type { ChosenRegistry } from "../../registry-client/choose-registry.ts";
import { chooseSecurity, type SecuritySettings } from "../../registry-client/choose-security.ts";
import { createOperatorClient } from "../../registry-client/operator-client.ts";
import { type Finding, ownFinding } from "./finding.ts";

const reached = "the registry can be reached";
const permitted = "the registry accepts certctl as an operator";
const examined = "the registry can run its own checks";

/**
 * Checks the connection and the clocks with one call, which also returns the registry's findings about itself.
 *
 * @throws Error for unusable TLS files
 */
export async function checkRegistry(
  { address, description }: ChosenRegistry,
  security: SecuritySettings,
): Promise<readonly Finding[]> {
  const client = createOperatorClient(address, chooseSecurity(security, address));
  const from = Date.now();
  try {
    const { findings, registryTime } = await client.diagnostics.runDiagnostics({});
    const to = Date.now();
    return [
      ownFinding(reached, `${description}, in ${to - from} ms`),
      ownFinding(permitted, "the call was permitted"),
      ...(registryTime === undefined ? [] : [checkClock({ from, to }, timestampMs(registryTime))]),
      // States that only a newer registry knows count as skipped.
      ...findings.map(({ state, ...finding }) => ({ ...finding, state: valueName(FindingState, state) ?? "skipped" })),
    ];
  } catch (error) {
    return failureFindings(ConnectError.from(error), description);
  } finally {
    client.close();
  }
}

/** Returns the findings of a failed call: whether it reached the registry and, if so, which check failed. */
export function failureFindings(error: ConnectError, description: string): readonly Finding[] {
  const described = describeError(error, description);
  const isReached = ownFinding(reached, description);
  if (error.code === Code.PermissionDenied)
    return [
      isReached,
      ownFinding(permitted, described.message, "Use a certificate whose DNS name is operator.<domain>."),
    ];
  if (error.code === Code.Unimplemented)
    return [isReached, ownFinding(examined, "the registry is older than certctl", "Upgrade the registry.")];
  if (described instanceof ServiceError && described.code !== "unavailable")
    return [isReached, ownFinding(examined, described.message, "Check the registry's log for the cause.")];
  const remedy =
    "Check the address and the network. If a certificate was refused, check that --ca-file contains the authority " +
    "that issued the registry's certificate, and that REGISTRY_GRPC_CA_FILE contains the authority that issued " +
    "certctl's certificate. A registry that is starting is unavailable until it has connected to its database.";
  return [ownFinding(reached, described.message, remedy)];
}

/** Returns whether the findings show that the registry cannot be reached. */
export function isUnreachable(findings: readonly Finding[]): boolean {
  return findings.some(({ condition, state }) => condition === reached && state === "fault");
}

const skewMaxMs = 5_000;

/**
 * Compares the clocks of this machine and the registry. The registry reads its clock at an unknown moment during the
 * call, so a difference is detected only if the registry's time is before the start or after the end of the call.
 *
 * @param call this machine's time at the start and the end of the call, in milliseconds since the epoch
 * @param registryTime milliseconds since the epoch
 */
export function checkClock(call: { readonly from: number; readonly to: number }, registryTime: number): Finding {
  const aheadMs = clockSkewMs(call, registryTime);
  const skewMs = Math.abs(aheadMs);
  const condition = `the clocks of this machine and of the registry differ by at most ${skewMaxMs / 1_000} s`;
  if (skewMs <= skewMaxMs) return ownFinding(condition, skewMs === 0 ? "no difference" : `${skewMs} ms`);
  const side = aheadMs < 0 ? "ahead" : "behind";
  const remedy = "Synchronize the clocks of both machines, for example with chrony.";
  return ownFinding(condition, `the registry's clock is ${Math.ceil(skewMs / 100) / 10} s ${side}`, remedy);
}
