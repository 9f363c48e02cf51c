import { readFile } from "node:fs/promises";

// /proc reports times in units of 1/USER_HZ, which is 1/100 s on Linux.
const msPerTick = 10;

/**
 * Returns the CPU time of a process with all its threads, in milliseconds with a resolution of 10 ms; NaN for a
 * missing process or without /proc.
 */
export async function cpuMsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return cpuMsIn(stat);
}

/** Returns the CPU time in ms from the text of /proc/<pid>/stat (proc_pid_stat(5): fields 14 and 15). */
export function cpuMsIn(stat: string): number {
  // The program name in parentheses may itself contain blanks and parentheses; later fields do not.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * msPerTick;
}
