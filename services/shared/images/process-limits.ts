import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { Loop } from "../lifecycle/loop.ts";
import { steadyClock } from "../time/clock.ts";

interface ProcessLimits {
  /** Maximum resident memory, in MiB. Linux only. */
  readonly residentMebibytes: number;
  /** Maximum processor time, in milliseconds. Linux only. */
  readonly processorMs: number;
  /** Maximum running time, in milliseconds, for a machine that gives the process little processor time. */
  readonly elapsedMs: number;
}

/** Signals that a process has exceeded one of its limits and was killed. */
export class ProcessLimitExceeded extends Error {}

const checkEveryMs = 10;
// sysconf(_SC_CLK_TCK), which is 100 on every architecture that Node supports.
const msPerTick = 10;

/**
 * Kills a child process that exceeds a limit. The parent reads /proc (proc_pid_status(5), proc_pid_stat(5)), because
 * neither V8's heap limit nor a limit that the child sets and could exceed again applies to native memory, and the
 * images have no shell to set a resource limit with. Without /proc, only the running time is limited.
 *
 * @returns a promise that rejects with ProcessLimitExceeded once the process was killed; it is otherwise never settled
 */
export function killAboveLimits(child: ChildProcess, limits: ProcessLimits): Promise<never> {
  const exceeded = Promise.withResolvers<never>();
  const kill = (limit: string) => {
    child.kill("SIGKILL");
    exceeded.reject(new ProcessLimitExceeded(`the process exceeded its limit of ${limit}`));
  };
  const deadline = setTimeout(() => kill(`${limits.elapsedMs} ms`), limits.elapsedMs);
  const check = async () => {
    const [status, stat] = await Promise.all([procFile(child, "status"), procFile(child, "stat")]);
    // The peak, so that memory that was returned between two checks counts, too.
    const mebibytes = Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1_024;
    if (mebibytes > limits.residentMebibytes) kill(`${limits.residentMebibytes} MiB`);
    // The fields after the name, which is in parentheses and can contain spaces, begin with field 3; 14 is utime.
    const [, , , , , , , , , , , utime = 0, stime = 0] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if ((Number(utime) + Number(stime)) * msPerTick > limits.processorMs)
      kill(`${limits.processorMs} ms of processor time`);
    return checkEveryMs;
  };
  const checks = new Loop({ step: check, firstPauseMs: checkEveryMs, clock: steadyClock });
  checks.start();
  child.once("close", () => {
    clearTimeout(deadline);
    void checks.stop();
  });
  exceeded.promise.catch(() => undefined);
  return exceeded.promise;
}

function procFile({ pid }: ChildProcess, file: string): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "");
}
