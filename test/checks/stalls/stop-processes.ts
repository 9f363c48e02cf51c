import { spawn } from "node:child_process";
import { once } from "node:events";
import { systemClock } from "#shared/time/clock.ts";
import { listProcesses, treeOf } from "../../harness/process-tree.ts";
import type { SeededRandom } from "../../harness/seeded-random.ts";

interface Stops {
  readonly random: SeededRandom;
  /** The longest stop. The shortest takes a third of it. */
  readonly maxMs: number;
  /** Mean pause between the end of a stop and the next one. */
  readonly everyMs: number;
  /** Aborting it prevents further stops. */
  readonly signal: AbortSignal;
}

// A machine that stands still stops all processes; a busy one, some of them.
const allShare = 0.35;
// Shells only wait for other programs, and would take a large share of the stops. A stand-in for MongoDB closes all its
// connections when it continues (Linux interrupts its reads), so that writes get the documented 503; MongoDB does not.
const neverStopped = /^(?:\S*\/)?(?:ba|z)?sh(?: |$)|secantus/;
// A process of its own, so that what was stopped also continues if this one is killed. Ctrl-C does not end it.
const stopAndContinue = `trap "" INT TERM HUP; seconds=$1; shift; kill -STOP "$@"; sleep "$seconds"; kill -CONT "$@"`;

/**
 * Stops processes of a tree with SIGSTOP, again and again, each time a random one or all of them, and continues them
 * after a random time. Processes that another program has stopped stay as they are.
 *
 * @returns the number of stops, once the last one is over
 */
export async function stopProcesses(root: number, { random, maxMs, everyMs, signal }: Stops): Promise<number> {
  for (let stops = 0; ; stops++) {
    await systemClock.sleep(everyMs / 2 + random.below(everyMs), signal);
    const tree = treeOf(root, await listProcesses());
    const running = tree.filter(({ command, isStopped }) => !isStopped && !neverStopped.test(command));
    // The tree is empty once the run has ended.
    if (signal.aborted || running.length === 0) return stops;
    const chosen = random.chance(allShare) ? running : [random.pick(running)];
    const seconds = (maxMs / 3 + random.below((2 * maxMs) / 3)) / 1_000;
    const pids = chosen.map(({ pid }) => String(pid));
    await once(spawn("sh", ["-c", stopAndContinue, "sh", String(seconds), ...pids], { stdio: "ignore" }), "exit");
  }
}
