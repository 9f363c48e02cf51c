import { readFileSync, renameSync, writeFileSync } from "node:fs";
import {
  type DeliveryStep,
  deliverySteps,
  type TriggerStep,
  triggerSteps,
} from "../../../services/notifier/delivery-steps.ts";
import { actorRandom, type SeededRandom, shuffled } from "../../harness/seeded-random.ts";
import { sum } from "../../harness/statistics.ts";
import type { StepKill } from "./kill-at-step.ts";
import type { NotifierTask } from "./notifier-task.ts";

interface StepKillsSetup {
  /** File to which notifiers append the step before they kill themselves. */
  readonly logFile: string;
  readonly steps: readonly (DeliveryStep | TriggerStep)[];
  /** Minimum number of kills per step. */
  readonly killsPerStep: number;
  /** Maximum number of times that a notifier reaches its step before it kills itself there. */
  readonly countMax: number;
  readonly random: SeededRandom;
}

// The steps of a notifier that does not claim events.
const stepsOfSending: readonly DeliveryStep[] = ["connecting", "after_body", "after_reply"];

/** Plans the kills of a run of the webhook check. @param logFile path of a file that does not exist yet */
export function createStepKills(
  { events, seed, killsPerStep }: Readonly<Record<"events" | "seed" | "killsPerStep", number>>,
  handling: NotifierTask["handling"],
  logFile: string,
): StepKills {
  const steps = handling === "ack-first" ? stepsOfSending : [...deliverySteps, ...triggerSteps];
  // Distributes the kills over the first three quarters of the events.
  const countMax = Math.ceil((0.75 * events) / (steps.length * killsPerStep));
  return new StepKills({ logFile, steps, killsPerStep, countMax, random: actorRandom(seed, "kills at steps") });
}

/** Assigns each starting notifier the step at which it kills itself, and counts the kills. */
export class StepKills {
  readonly #setup: StepKillsSetup;
  #file: string;
  #turn: (DeliveryStep | TriggerStep)[] = [];

  /** Creates the log file, which enables the kills. */
  constructor(setup: StepKillsSetup) {
    this.#setup = setup;
    this.#file = setup.logFile;
    writeFileSync(setup.logFile, "");
  }

  /** Returns the kill for the next notifier to start. Every step is used once before any step is repeated. */
  next(): StepKill {
    const { logFile, steps, countMax, random } = this.#setup;
    if (this.#turn.length === 0) this.#turn = shuffled(steps, random);
    const step = this.#turn.pop() ?? random.pick(steps);
    return { step, count: 1 + random.below(countMax), logFile };
  }

  /** Returns the number of kills per step so far. */
  counts(): ReadonlyMap<DeliveryStep | TriggerStep, number> {
    const lines = readFileSync(this.#file, "utf8").split("\n");
    return new Map(this.#setup.steps.map((step) => [step, lines.filter((line) => line === step).length]));
  }

  /** Number of kills so far. */
  get kills(): number {
    return sum(this.counts().values());
  }

  /** Share of the required kills made so far, 0 to 1; 1 once every step has had enough kills. */
  get progress(): number {
    const { steps, killsPerStep } = this.#setup;
    const required = Array.from(this.counts().values(), (count) => Math.min(count, killsPerStep));
    return sum(required) / (steps.length * killsPerStep);
  }

  /** Renames the log file, which disables further kills. */
  stop(): void {
    const closed = `${this.#setup.logFile}.closed`;
    renameSync(this.#file, closed);
    this.#file = closed;
  }
}
