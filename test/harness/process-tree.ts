import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** A process of this machine. */
interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** Its program and arguments. */
  readonly command: string;
  /** Whether SIGSTOP has stopped it. */
  readonly isStopped: boolean;
}

/** Lists the processes of this machine that have not exited. */
export async function listProcesses(): Promise<readonly ProcessEntry[]> {
  const columns = ["pid", "ppid", "state", "args"].flatMap((name) => ["-o", `${name}=`]);
  const { stdout } = await promisify(execFile)("ps", ["-A", ...columns], { maxBuffer: Number.POSITIVE_INFINITY });
  // A process in the state Z has exited, and its parent has not asked for the exit code.
  const lines = stdout.matchAll(/^ *(\d+) +(\d+) +([^\sZ])\S* +(.*)$/gm);
  return Array.from(lines, ([, pid, parent, state, command = ""]) => ({
    pid: Number(pid),
    parent: Number(parent),
    command,
    isStopped: state === "T",
  }));
}

/** Returns a process and all its descendants among these processes. */
export function treeOf(root: number, processes: readonly ProcessEntry[]): readonly ProcessEntry[] {
  const own = processes.filter(({ pid }) => pid === root);
  const children = processes.filter(({ parent }) => parent === root);
  return [...own, ...children.flatMap(({ pid }) => treeOf(pid, processes))];
}
