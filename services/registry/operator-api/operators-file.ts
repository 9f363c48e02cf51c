import { readFile } from "node:fs/promises";
import { ConfigError } from "#shared/config/config-error.ts";
import { Loop } from "#shared/lifecycle/loop.ts";
import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import { type Operators, parseOperators } from "./operators.ts";

interface OperatorsFileDeps {
  readonly path: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Reports whether the file is valid. Called when the file has been opened, and after each change to it. */
  readonly onChecked: (isValid: boolean) => void;
}

/** The result of reading the file: its text, or why it cannot be read. */
type Reading = { readonly text: string } | { readonly problem: string };

// Polling is simpler than watching: a mounted Kubernetes Secret is replaced through symbolic links, and a watch on the
// file would miss that.
const intervalMs = 2_000;

/**
 * The operators' file, which is read again every two seconds. While the file is unusable, the operators of its last
 * usable version remain; the problem is logged once.
 */
export class OperatorsFile {
  readonly #deps: OperatorsFileDeps;
  readonly #loop: Loop;
  #operators: Operators;
  #last: Reading;

  private constructor(deps: OperatorsFileDeps, operators: Operators, text: string) {
    this.#deps = deps;
    this.#operators = operators;
    this.#last = { text };
    this.#loop = new Loop({
      clock: deps.clock,
      firstPauseMs: intervalMs,
      step: async () => {
        await this.refresh();
        return intervalMs;
      },
    });
  }

  /** Reads the file for the first time. @throws ConfigError with the reason why the file is unusable */
  static async open(deps: OperatorsFileDeps): Promise<OperatorsFile> {
    try {
      const text = await readFile(deps.path, "utf8");
      const file = new OperatorsFile(deps, parseOperators(text), text);
      deps.onChecked(true);
      return file;
    } catch (error) {
      throw new ConfigError(`REGISTRY_OPERATORS_FILE: ${deps.path} ${problemOf(error)}`);
    }
  }

  /** The operators of the last usable version of the file. */
  get operators(): Operators {
    return this.#operators;
  }

  /** Starts reading the file periodically. */
  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Reads the file, and replaces the operators if it has changed and is usable. */
  async refresh(): Promise<void> {
    const { path, logger, onChecked } = this.#deps;
    const reading = await this.#read();
    if (isSame(reading, this.#last)) return;
    this.#last = reading;
    try {
      if ("problem" in reading) throw new Error(reading.problem);
      this.#operators = parseOperators(reading.text);
      onChecked(true);
      logger.info({ path, operators: this.#operators.size }, "reloaded the changed operators' file");
    } catch (error) {
      onChecked(false);
      logger.error(
        { path, reason: problemOf(error) },
        "the operators' file is unusable; the previous operators remain valid",
      );
    }
  }

  async #read(): Promise<Reading> {
    try {
      return { text: await readFile(this.#deps.path, "utf8") };
    } catch (error) {
      return { problem: problemOf(error) };
    }
  }
}

function isSame(one: Reading, other: Reading): boolean {
  if ("text" in one) return "text" in other && one.text === other.text;
  return "problem" in other && one.problem === other.problem;
}

function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error ? `cannot be read: ${error.message}` : error.message;
}
