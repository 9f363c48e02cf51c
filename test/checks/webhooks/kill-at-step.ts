import { subscribe } from "node:diagnostics_channel";
import { appendFileSync, existsSync } from "node:fs";
import { z } from "zod";
import { deliveryStepChannel, deliverySteps } from "../../../services/notifier/delivery-steps.ts";

/** A step at which a notifier kills itself. */
export const stepKill = z.object({
  step: z.enum(deliverySteps),
  /** Number of the event at this step that triggers the kill, from 1. */
  count: z.int(),
  /** File to which the step is appended before the kill. The notifier does not kill itself while the file is missing. */
  logFile: z.string(),
});

/** A value of {@link stepKill}. */
export type StepKill = z.output<typeof stepKill>;

/** Kills this process with SIGKILL in the middle of a delivery step, together with all other work in progress. */
export function killAtStep({ step, count, logFile }: StepKill): void {
  let left = count;
  subscribe(deliveryStepChannel(step), () => {
    if (--left > 0 || !existsSync(logFile)) return;
    appendFileSync(logFile, `${step}\n`);
    process.kill(process.pid, "SIGKILL");
  });
}
