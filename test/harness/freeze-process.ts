/**
 * Freezes a process with SIGSTOP: its connections stay open, but it neither reads nor replies. Disposing the result
 * resumes the process.
 *
 * @param pid null for a process that is not running
 * @throws Error when the process cannot be frozen, so that no fault test passes without the fault
 */
export function freezeProcess(pid: number | null): Disposable {
  if (pid === null) throw new Error("the process cannot be frozen, because it is not running");
  process.kill(pid, "SIGSTOP");
  return { [Symbol.dispose]: () => void process.kill(pid, "SIGCONT") };
}
