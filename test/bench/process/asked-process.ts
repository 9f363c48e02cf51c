import { fork } from "node:child_process";
import { once } from "node:events";
import { z } from "zod";
import { projectFolder } from "../../../deploy/local/stack/service-process.ts";
import { withTimeout } from "../../harness/with-timeout.ts";

/** A process of this run that answers requests, one at a time. */
export interface AskedProcess {
  readonly pid: number;
  /**
   * Sends a request and waits for its answer; both survive JSON.
   *
   * @throws Error with what went wrong in the process, or when it ends or does not answer in time
   */
  ask(request: object, limitMs: number): Promise<unknown>;
  close(): Promise<void>;
}

const answer = z.union([
  z.object({ failure: z.string() }),
  // Nothing to tell: JSON leaves it out.
  z.object({ value: z.unknown().optional() }),
]);

/** What such a process sends back. */
export type Answer = z.output<typeof answer>;

/**
 * Starts one of the scripts that call answerParent. Its output goes where this process's goes.
 *
 * @param script below the project's folder
 */
export function startAsked(script: string): AskedProcess {
  const child = fork(script, { cwd: projectFolder, stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${script} could not be started`);
  return {
    pid,
    ask: async (request, limitMs) => {
      const over = new AbortController();
      const { signal } = over;
      const answered = once(child, "message", { signal }).then(([message]) => answer.parse(message));
      const ended = once(child, "exit", { signal }).then(([code]) => {
        throw new Error(`${script} ended with ${code}`);
      });
      try {
        child.send(request);
        const reply = await withTimeout(script, limitMs, Promise.race([answered, ended]));
        if ("failure" in reply) throw new Error(`${script} failed: ${reply.failure}`);
        return reply.value;
      } finally {
        over.abort();
        // The one that lost the race ends with the abort.
        await Promise.allSettled([answered, ended]);
      }
    },
    close: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
  };
}
