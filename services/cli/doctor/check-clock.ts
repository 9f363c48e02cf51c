import { type Finding, ownFinding } from "./finding.ts";

const skewMaxMs = 5_000;

/**
 * Compares the clocks of this machine and the registry. The registry reads its clock at an unknown moment during the
 * call, so a difference is detected only if the registry's time is before the start or after the end of the call.
 *
 * @param call this machine's time at the start and the end of the call, in milliseconds since the epoch
 * @param registryTime milliseconds since the epoch
 */
export function checkClock(call: { readonly from: number; readonly to: number }, registryTime: number): Finding {
  const skewMs = Math.max(call.from - registryTime, registryTime - call.to, 0);
  const condition = `the clocks of this machine and of the registry differ by at most ${skewMaxMs / 1_000} s`;
  if (skewMs <= skewMaxMs) return ownFinding(condition, skewMs === 0 ? "no difference" : `${skewMs} ms`);
  const side = registryTime > call.to ? "ahead" : "behind";
  const remedy = "Synchronize the clocks of both machines, for example with chrony.";
  return ownFinding(condition, `the registry's clock is ${Math.ceil(skewMs / 100) / 10} s ${side}`, remedy);
}
