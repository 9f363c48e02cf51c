import { readFile } from "node:fs/promises";

// Linux tells times in timestamps of its USER_HZ, which is 100 everywhere.
const msPerTick = 10;

/**
 * The CPU time that a process has used so far, all of its threads together, in milliseconds and exact to 10.
 *
 * @returns NaN where the system does not tell it as Linux does
 */
export async function cpuMsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return cpuMsIn(stat);
}

/** The same from the text of /proc/<pid>/stat (proc_pid_stat(5): utime and stime are fields 14 and 15). */
export function cpuMsIn(stat: string): number {
  // The program's name may hold anything, blanks and brackets too; the fields after it do not.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * msPerTick;
}
