import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { Gauge, type Registry } from "prom-client";
import type { Clock } from "#shared/time/clock.ts";
import { clockSkewMs } from "#shared/time/clock-skew.ts";

/** Makes a call and compares the notifier's clock with the database's time in the response, if it has one. */
export type ObserveClockSkew = <Response extends { readonly databaseTime?: Timestamp | undefined }>(
  call: () => Promise<Response>,
) => Promise<Response>;

/**
 * Registers `notifier_clock_skew_seconds`: receivers of workflow triggers refuse messages whose timestamp is minutes
 * off.
 *
 * @param clock the notifier's wall clock, which the timestamps show
 */
export function observeClockSkew(metrics: Registry, clock: Clock): ObserveClockSkew {
  const skew = new Gauge({
    name: "notifier_clock_skew_seconds",
    help: "How far the notifier's clock is ahead of the database's; negative if it is behind.",
    registers: [metrics],
  });
  // Unknown until the first comparison, and beside registries whose responses have no time.
  skew.set(Number.NaN);
  return async (call) => {
    const from = clock.now();
    const response = await call();
    const { databaseTime } = response;
    if (databaseTime !== undefined) skew.set(clockSkewMs({ from, to: clock.now() }, timestampMs(databaseTime)) / 1_000);
    return response;
  };
}
