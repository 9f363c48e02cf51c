import { eventually } from "./eventually.ts";
import { listProcesses } from "./process-tree.ts";

/**
 * Freezes a process with SIGSTOP: its connections stay open, but it neither reads nor replies. Disposing the result
 * resumes the process. If `npm run check:stalls` has stopped the process, waits first until that check continues it,
 * because it would also end the freeze.
 *
 * @param pid null for a process that is not running
 * @throws Error when the process cannot be frozen, so that no fault test passes without the fault
 */
export async function freezeProcess(pid: number | null): Promise<Disposable> {
  if (pid === null) throw new Error("the process cannot be frozen, because it is not running");
  await eventually(async () => {
    const isStopped = (await listProcesses()).some((one) => one.pid === pid && one.isStopped);
    if (isStopped) throw new Error("the process cannot be frozen, because another program has stopped it");
  });
  process.kill(pid, "SIGSTOP");
  return { [Symbol.dispose]: () => void process.kill(pid, "SIGCONT") };
}
