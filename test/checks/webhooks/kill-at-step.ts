import { subscribe } from "node:diagnostics_channel";
import { appendFileSync, existsSync } from "node:fs";
import { z } from "zod";
import { deliveryStepChannel, deliverySteps } from "../../../services/notifier/delivery-steps.ts";

/** The delivery step at which a notifier kills itself. */
export const stepKill = z.object({
  step: z.enum(deliverySteps),
  /** Number of events at this step up to and including the event that triggers the kill. */
  count: z.int(),
  /**
   * File to which the step is appended before the kill. The notifier does not kill itself while the file is missing.
   */
  logFile: z.string(),
});

/** A value of {@link stepKill}. */
export type StepKill = z.output<typeof stepKill>;

/** Makes this process kill itself with SIGKILL at a delivery step, while other deliveries may be in progress. */
export function killAtStep({ step, count, logFile }: StepKill): void {
  let left = count;
  subscribe(deliveryStepChannel(step), () => {
    if (--left > 0 || !existsSync(logFile)) return;
    appendFileSync(logFile, `${step}\n`);
    process.kill(process.pid, "SIGKILL");
  });
}
