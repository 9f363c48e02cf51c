import { fork } from "node:child_process";
import { once } from "node:events";
import { z } from "zod";
import { messageOf } from "../../../deploy/local/servers/setup-error.ts";
import { projectFolder } from "../../../deploy/local/stack/service-process.ts";

/** `elapsedMs`: from the start of the round to the end of its last unit. */
const loadRound = z.object({ units: z.number(), elapsedMs: z.number() });

/** The work done in one round. */
export type LoadRound = z.output<typeof loadRound>;

/** A load generator in a separate process, so that its CPU time can be measured. */
export type LoadProcess = Awaited<ReturnType<typeof startLoad>>;

const reply = z.union([z.object({ failure: z.string() }), loadRound]);

const openWithinMs = 60_000;
const roundGraceMs = 60_000;

/**
 * Starts a script that calls `serveLoad`. A round rejects with the stack trace when the load generator fails.
 *
 * @param script path relative to the project folder
 * @param setup JSON value that matches the schema of the script
 */
export async function startLoad(script: string, setup: unknown) {
  const child = fork(script, { cwd: projectFolder, stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${script} could not be started`);
  const exit = new AbortController();
  const exited = once(child, "exit").then(([code]) => exit.abort(new Error(`exited with ${code}`)));
  const request = async (message: unknown, limitMs: number) => {
    const signal = AbortSignal.any([exit.signal, AbortSignal.timeout(limitMs)]);
    child.send({ message });
    const [answer] = await once(child, "message", { signal }).catch(() => {
      throw new Error(`${script} did not answer: ${messageOf(signal.reason)}`);
    });
    const result = reply.parse(answer);
    if ("failure" in result) throw new Error(`${script} failed: ${result.failure}`);
    return result;
  };
  const close = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  try {
    await request(setup, openWithinMs);
  } catch (error) {
    await close();
    throw error;
  }
  return { pid, round: (durationMs: number) => request(durationMs, durationMs + roundGraceMs), close };
}
