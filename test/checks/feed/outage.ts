import { execaCommand } from "execa";
import { steadyClock } from "#shared/time/clock.ts";
import type { Log } from "../../harness/supervisor/supervisor.ts";
import type { BackgroundWork } from "../runner/workload.ts";

interface OutageSetup {
  /** Shell command that makes the database unavailable. */
  readonly stop: string;
  /** Shell command that makes it available again. */
  readonly start: string;
  readonly seconds: number;
  /** Returns the share of the run that has passed, 0 to 1. */
  readonly share: () => number;
  /** Returns the number of changes that have been confirmed so far. */
  readonly changes: () => number;
  readonly log: Log;
}

const beginsAt = 0.3;
const pollMs = 50;
const commandLimitMs = 120_000;
const recoveryMaxMs = 60_000;

/** An outage of the database during a run: begins after a third of it, and ends after a fixed time. */
export class Outage {
  /** Why the run is not as required, one line each. */
  readonly findings: string[] = [];
  /** Time in milliseconds from the end of the outage to the first confirmed change; undefined before it. */
  recoveryMs: number | undefined;
  #isOver = false;
  readonly #setup: OutageSetup;

  constructor(setup: OutageSetup) {
    this.#setup = setup;
  }

  /** Whether the outage has passed, and changes are confirmed again or did not become possible in time. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Runs the outage beside the writers. */
  readonly run: BackgroundWork = async (isWriting, signal) => {
    const { stop, start, seconds, share, changes, log } = this.#setup;
    while (share() < beginsAt && isWriting() && !signal.aborted) await steadyClock.sleep(pollMs, signal);
    if (signal.aborted) return;
    log("the outage of the database begins");
    try {
      await runShell(stop);
      await steadyClock.sleep(seconds * 1_000, signal);
    } finally {
      // Also after Ctrl-C: the verdict needs the database.
      await runShell(start);
    }
    const [endedAt, before] = [steadyClock.now(), changes()];
    const passedMs = () => steadyClock.now() - endedAt;
    while (changes() === before && passedMs() < recoveryMaxMs && !signal.aborted)
      await steadyClock.sleep(pollMs, signal);
    if (changes() > before) this.recoveryMs = passedMs();
    else this.findings.push(`no change was confirmed within ${recoveryMaxMs / 1_000} s after the outage`);
    log(`the outage of the database has ended; recovery: ${this.recoveryMs ?? "none"} ms`);
    this.#isOver = true;
  };

  /**
   * Judges the results that clients got during the whole run: an outage refuses requests with 503 and nothing else.
   *
   * @param replies failures of list requests, by status or error
   */
  judge(replies: Iterable<string>): readonly string[] {
    const failures = [...replies].filter((name) => name !== crashed);
    const others = failures
      .filter((name) => name !== "503")
      .map((name) => `a list request failed with ${name}, not 503`);
    const unseen = failures.includes("503") ? [] : ["no list request was refused, so there was no outage"];
    return [...this.findings, ...others, ...unseen];
  }
}

/** The name under which a feed client counts its own simulated crashes. */
export const crashed = "crashed between pages";

async function runShell(command: string): Promise<void> {
  await execaCommand(command, { shell: true, timeout: commandLimitMs, stdin: "ignore" });
}
