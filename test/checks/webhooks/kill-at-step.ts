import { subscribe } from "node:diagnostics_channel";
import { appendFileSync, existsSync } from "node:fs";
import { type DeliveryStep, deliveryStepChannel } from "../../../services/notifier/delivery-steps.ts";

/** Where a process ends itself. */
export interface StepKill {
  readonly step: DeliveryStep;
  /** The how many-th event to come to this step ends it, from 1. */
  readonly count: number;
  /** The step is written to this file before; while the file is not there, nothing is killed. */
  readonly book: string;
}

/** Ends this process with SIGKILL, from one instruction to the next, with whatever else is under way. */
export function killAtStep({ step, count, book }: StepKill): void {
  let left = count;
  subscribe(deliveryStepChannel(step), () => {
    if (--left > 0 || !existsSync(book)) return;
    appendFileSync(book, `${step}\n`);
    process.kill(process.pid, "SIGKILL");
  });
}
