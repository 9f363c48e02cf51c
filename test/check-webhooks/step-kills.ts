import { readFileSync, renameSync, writeFileSync } from "node:fs";
import type { SeededRandom } from "../../deploy/local/demo/seeded-random.ts";
import { type DeliveryStep, deliverySteps } from "../../services/notifier/delivery-step.ts";
import { choicesOf } from "../check/choices.ts";
import type { StepKill } from "./kill-at-step.ts";
import type { CheckOptions } from "./options.ts";

/** What {@link StepKills} work with. */
export interface StepKillsSetup {
  /** The notifiers write down here where they end themselves. */
  readonly book: string;
  readonly steps: readonly DeliveryStep[];
  /** How often a notifier is to be killed at each step, at least. */
  readonly timesEach: number;
  readonly random: SeededRandom;
}

const countMax = 60;
// Who acknowledges first and claims never comes to no others.
const stepsOfSending: readonly DeliveryStep[] = ["connecting", "after_body", "after_reply"];

/** The kills of a run. @param book a file that is not there yet */
export function stepKillsOf({ seed, handling, killsPerStep }: CheckOptions, book: string): StepKills {
  const steps = handling === "ack-first" ? stepsOfSending : deliverySteps;
  return new StepKills({ book, steps, timesEach: killsPerStep, random: choicesOf(seed, "kills at steps") });
}

/** Tells notifiers where to end themselves, each time they start, and counts. */
export class StepKills {
  readonly #setup: StepKillsSetup;
  #file: string;

  /** Begins: from now on notifiers end themselves. */
  constructor(setup: StepKillsSetup) {
    this.#setup = setup;
    this.#file = setup.book;
    writeFileSync(setup.book, "");
  }

  /** Where the next notifier ends itself: at one of the steps at which fewest have. */
  next(): StepKill {
    const { book, steps, random } = this.#setup;
    const counts = this.counts();
    const timesOf = (step: DeliveryStep) => counts.get(step) ?? 0;
    const fewest = Math.min(...steps.map(timesOf));
    const step = random.pick(steps.filter((candidate) => timesOf(candidate) === fewest));
    return { step, count: 1 + random.below(countMax), book };
  }

  /** How often notifiers were killed at each step so far. */
  counts(): ReadonlyMap<DeliveryStep, number> {
    const lines = readFileSync(this.#file, "utf8").split("\n");
    return new Map(this.#setup.steps.map((step) => [step, lines.filter((line) => line === step).length]));
  }

  /** How often notifiers were killed so far. */
  get kills(): number {
    return [...this.counts().values()].reduce((sum, count) => sum + count, 0);
  }

  /** Whether notifiers were killed often enough at every step. */
  get hadAll(): boolean {
    return [...this.counts().values()].every((count) => count >= this.#setup.timesEach);
  }

  /** From now on no notifier ends itself. */
  stop(): void {
    const closed = `${this.#setup.book}.closed`;
    renameSync(this.#file, closed);
    this.#file = closed;
  }
}
