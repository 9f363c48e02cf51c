import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { type DeliveryStep, deliverySteps } from "../../../services/notifier/delivery-steps.ts";
import type { SeededRandom } from "../../harness/seeded-random.ts";
import { choicesOf, shuffled } from "../runner/choices.ts";
import type { StepKill } from "./kill-at-step.ts";
import type { CheckOptions } from "./options.ts";

/** What {@link StepKills} work with. */
export interface StepKillsSetup {
  /** The notifiers write down here where they end themselves. */
  readonly book: string;
  readonly steps: readonly DeliveryStep[];
  /** How often a notifier is to be killed at each step, at least. */
  readonly timesEach: number;
  /** A notifier ends itself when so many events have come to its step, at most. */
  readonly countMax: number;
  readonly random: SeededRandom;
}

// Who acknowledges first and claims never comes to no others.
const stepsOfSending: readonly DeliveryStep[] = ["connecting", "after_body", "after_reply"];

/** The kills of a run. @param book a file that is not there yet */
export function stepKillsOf(options: CheckOptions, book: string): StepKills {
  const { events, seed, handling, killsPerStep: timesEach } = options;
  const steps = handling === "ack-first" ? stepsOfSending : deliverySteps;
  // So that there have been enough kills before there have been enough events.
  const countMax = Math.ceil((0.75 * events) / (steps.length * timesEach));
  return new StepKills({ book, steps, timesEach, countMax, random: choicesOf(seed, "kills at steps") });
}

/** Tells notifiers where to end themselves, each time they start, and counts. */
export class StepKills {
  readonly #setup: StepKillsSetup;
  #file: string;
  #turn: DeliveryStep[] = [];

  /** Begins: from now on notifiers end themselves. */
  constructor(setup: StepKillsSetup) {
    this.#setup = setup;
    this.#file = setup.book;
    writeFileSync(setup.book, "");
  }

  /** Where the next notifier ends itself: each step in turn, in an order that is another one each time. */
  next(): StepKill {
    const { book, steps, countMax, random } = this.#setup;
    if (this.#turn.length === 0) this.#turn = shuffled(steps, random);
    const step = this.#turn.pop() ?? random.pick(steps);
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

  /** Which part of the kills that are wanted was made, 0 to 1: 1 when there were enough at every step. */
  get partDone(): number {
    const { steps, timesEach } = this.#setup;
    const wanted = [...this.counts().values()].map((count) => Math.min(count, timesEach));
    return wanted.reduce((sum, count) => sum + count, 0) / (steps.length * timesEach);
  }

  /** From now on no notifier ends itself. */
  stop(): void {
    const closed = `${this.#setup.book}.closed`;
    renameSync(this.#file, closed);
    this.#file = closed;
  }
}
