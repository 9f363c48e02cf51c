import { actorRandom, type SeededRandom } from "../harness/seeded-random.ts";

/** Choices of a history in steps. Those of a step do not depend on the steps before it, which may be left out. */
export class StepChoices implements SeededRandom {
  readonly #seed: number;
  #random: SeededRandom;

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = actorRandom(seed, "history");
  }

  /** Begins a step. @param id unique in the history */
  begin(id: string): void {
    this.#random = actorRandom(this.#seed, id);
  }

  below(end: number): number {
    return this.#random.below(end);
  }

  pick<Value>(values: readonly Value[]): Value {
    return this.#random.pick(values);
  }

  chance(probability: number): boolean {
    return this.#random.chance(probability);
  }
}

/**
 * What happens in a history, in words: the choices that its seed has made. Some of these can be left out, to find those
 * that a problem needs.
 */
export class HistoryScript {
  /** The choices that the seed has made, in order, including those that were left out. */
  readonly ids: string[] = [];
  /** Words of the choices of which a directed history makes no others. Default: it makes all. */
  readonly focus: string | undefined;
  /** Seed of what no choice decides, such as delays. Default: that of the history. */
  readonly timing: number | undefined;
  readonly #omitted: ReadonlySet<string>;
  readonly #lines: { readonly atMs: number; readonly text: string }[] = [];

  /** @param omitted the ids of choices that do not happen */
  constructor(focus?: string, omitted: Iterable<string> = [], timing?: number) {
    this.focus = focus;
    this.timing = timing;
    this.#omitted = new Set(omitted);
  }

  /** Returns the choices that a directed history makes, by their words; without a focus, all. */
  focused<Choice>(choices: readonly Choice[], wordsOf: (choice: Choice) => string): readonly Choice[] {
    const { focus } = this;
    return focus === undefined ? choices : choices.filter((choice) => wordsOf(choice).includes(focus));
  }

  /** What happened, in order, with the time since the beginning. */
  get lines(): string[] {
    const startMs = this.#lines[0]?.atMs ?? 0;
    return this.#lines.map(({ atMs, text }) => `${((atMs - startMs) / 1_000).toFixed(3).padStart(8)} s  ${text}`);
  }

  /** Returns whether the history has a part that few have: in a directed history, whether the focus names it. */
  has(words: string, isChosen: boolean): boolean {
    return this.focus === undefined ? isChosen : words.includes(this.focus);
  }

  /**
   * Notes a choice.
   *
   * @param id unique in the history, and the same whichever choices are left out
   * @returns false if it must not happen
   */
  happens(id: string, atMs: number, text: string): boolean {
    this.ids.push(id);
    if (this.#omitted.has(id)) return false;
    this.note(atMs, text);
    return true;
  }

  /** Notes what follows from the choices. */
  note(atMs: number, text: string): void {
    this.#lines.push({ atMs, text });
  }
}

// Not the seeds of other histories.
const otherTimings = [-1, -2, -3];

/**
 * Leaves out choices as long as the history still fails: larger groups first, down to single ones (delta debugging).
 * What is left out changes the delays of all that follows, so a history that could still fail may not; it is therefore
 * tried with several delays.
 *
 * @param fails runs the history with a script
 * @param runsMax the number of runs, at most
 * @param focus see HistoryScript
 * @returns the script of the shortest failing history that was found
 */
export async function shorten(
  fails: (script: HistoryScript) => Promise<boolean>,
  runsMax: number,
  focus?: string,
): Promise<HistoryScript> {
  let shortest = new HistoryScript(focus);
  let omitted: readonly string[] = [];
  if (!(await fails(shortest))) return shortest;
  let runs = 1;
  const failsWithout = async (ids: readonly string[]): Promise<boolean> => {
    for (const timing of new Set([shortest.timing, ...otherTimings])) {
      if (runs === runsMax) return false;
      runs += 1;
      const candidate = new HistoryScript(focus, ids, timing);
      if (!(await fails(candidate))) continue;
      shortest = candidate;
      omitted = ids;
      return true;
    }
    return false;
  };
  for (let size = Math.ceil(shortest.ids.length / 2); size >= 1 && runs < runsMax; size = Math.floor(size / 2)) {
    const left = shortest.ids.filter((id) => !omitted.includes(id));
    for (let start = 0; start < left.length; start += size) {
      await failsWithout([...omitted, ...left.slice(start, start + size)]);
    }
  }
  return shortest;
}
