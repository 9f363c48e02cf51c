import { setTimeout as delay } from "node:timers/promises";
import { residentMebibytes } from "../../harness/process-memory.ts";
import type { TimedValue } from "./memory-trend.ts";

interface ObservedProcess {
  readonly pid: number;
  /** URL of the process's Prometheus metrics. */
  readonly metricsUrl: string;
}

const everyMs = 1_000;
const heapIntervalMinutes = 0.25;
const mebibyte = 1_024 ** 2;

/** Samples the memory of a process every second until the signal aborts. */
export async function sampleMemorySeries({ pid, metricsUrl }: ObservedProcess, signal: AbortSignal) {
  const startedAt = performance.now();
  const rss: TimedValue[] = [];
  const heapUses: TimedValue[] = [];
  while (!signal.aborted) {
    const minutes = (performance.now() - startedAt) / 60_000;
    rss.push({ minutes, value: await residentMebibytes(pid) });
    heapUses.push({ minutes, value: await heapMebibytes(metricsUrl) });
    await delay(everyMs, undefined, { signal }).catch(() => undefined);
  }
  return { rss, heap: lowestPerInterval(heapUses, heapIntervalMinutes) };
}

/** Returns the sample with the lowest finite value of each interval. */
function lowestPerInterval(samples: readonly TimedValue[], intervalMinutes: number): TimedValue[] {
  const intervals = Map.groupBy(samples, ({ minutes }) => Math.floor(minutes / intervalMinutes));
  return [...intervals.values()].flatMap((interval) => {
    const [lowest] = interval.filter(({ value }) => Number.isFinite(value)).toSorted((a, b) => a.value - b.value);
    return lowest ?? [];
  });
}

async function heapMebibytes(metricsUrl: string): Promise<number> {
  try {
    const text = await (await fetch(metricsUrl, { signal: AbortSignal.timeout(5_000) })).text();
    return Number(/^nodejs_heap_size_used_bytes (\S+)$/m.exec(text)?.[1] ?? Number.NaN) / mebibyte;
  } catch {
    return Number.NaN;
  }
}
