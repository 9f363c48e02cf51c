import { readFile } from "node:fs/promises";
import { systemClock } from "#shared/time/clock.ts";
import { residentMebibytes } from "../../harness/process-memory.ts";
import type { SupervisedProcess } from "../../harness/supervisor/supervised-process.ts";
import { type ServicePeaks, turnCpuMsMax } from "./verdict.ts";

/** A service to watch. */
interface WatchedService {
  readonly process: SupervisedProcess;
  /** The file to which record-turns.ts appends. */
  readonly turnsFile: string;
}

const everyMs = 500;

/**
 * Reads the memory of the services and the turns of their event loops until the signal aborts.
 *
 * @param onLongTurn called for each turn that used too much CPU time
 */
export async function watchServices(
  services: readonly WatchedService[],
  onLongTurn: (name: string, cpuMs: number) => void,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ServicePeaks>> {
  // Earlier turns belong to the start of the processes.
  let readUntil = Date.now();
  const peaks = new Map(services.map(({ process }) => [process.name, { mebibytes: 0, turnCpuMs: 0, turnMs: 0 }]));
  while (!signal.aborted) {
    await systemClock.sleep(everyMs, signal);
    const from = readUntil;
    readUntil = Date.now();
    for (const { process, turnsFile } of services) {
      const peak = peaks.get(process.name);
      if (peak === undefined) continue;
      peak.mebibytes = await residentMebibytes(process.pid, "VmHWM");
      for (const { endedAt, cpuMs, wallMs } of await readTurns(turnsFile)) {
        if (endedAt < from || endedAt >= readUntil) continue;
        if (cpuMs > turnCpuMsMax) onLongTurn(process.name, cpuMs);
        peak.turnCpuMs = Math.max(peak.turnCpuMs, cpuMs);
        peak.turnMs = Math.max(peak.turnMs, wallMs);
      }
    }
  }
  return peaks;
}

/** Reads the recorded turns; none if the service has had no long turn yet. */
async function readTurns(file: string) {
  const lines = (await readFile(file, "utf8").catch(() => "")).split("\n").slice(0, -1);
  return lines.map((line) => {
    const [endedAt = Number.NaN, cpuMs = Number.NaN, wallMs = Number.NaN] = line.split(" ").map(Number);
    return { endedAt, cpuMs, wallMs };
  });
}
