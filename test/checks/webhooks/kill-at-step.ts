import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { appendFileSync, existsSync } from "node:fs";
import { z } from "zod";
import { deliveryStepChannel, deliverySteps, triggerSteps } from "../../../services/notifier/delivery-steps.ts";

/** The step of a delivery or a trigger attempt at which a notifier kills or freezes itself. */
export const stepKill = z.object({
  step: z.enum([...deliverySteps, ...triggerSteps]),
  /** The signal is sent when the step is reached for the `count`-th time, or later if `logFile` is still missing. */
  count: z.int(),
  /** File to which the step is appended before the signal is sent. While the file is missing, no signal is sent. */
  logFile: z.string(),
  /** SIGSTOP freezes the notifier until another process continues it. */
  signal: z.enum(["SIGKILL", "SIGSTOP"]).default("SIGKILL"),
});

/** A {@link stepKill} in which fields with a default may be omitted. */
export type StepKill = z.input<typeof stepKill>;

/**
 * Makes this process send itself a signal, once, when it reaches a step for the `count`-th time. Other deliveries may
 * be in progress at that moment.
 */
export function killAtStep({ step, count, logFile, signal }: z.output<typeof stepKill>): void {
  let left = count;
  const channel = deliveryStepChannel(step);
  const onStep = () => {
    if (--left > 0 || !existsSync(logFile)) return;
    unsubscribe(channel, onStep);
    appendFileSync(logFile, `${step}\n`);
    process.kill(process.pid, signal);
  };
  subscribe(channel, onStep);
}
