/**
 * Preloaded into a service. Appends a line to the file in TURNS_FILE for each long turn of the event loop: when it
 * ended (Unix time in milliseconds), the CPU time that the main thread used, and how long the turn took, both in
 * milliseconds. Each contains at most {@link everyMs} of earlier turns.
 */
import { appendFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const everyMs = 10;
const recordedFromMs = 50;
const file = process.env.TURNS_FILE ?? "";

function now() {
  const { user, system } = process.threadCpuUsage();
  return { cpuMs: (user + system) / 1_000, wallMs: performance.now() };
}

// Other threads have event loops of their own, which delay no request.
if (isMainThread) {
  let before = now();
  setInterval(() => {
    const { cpuMs, wallMs } = now();
    const [turnCpuMs, turnMs] = [cpuMs - before.cpuMs, wallMs - before.wallMs];
    if (turnMs >= recordedFromMs) appendFileSync(file, `${Date.now()} ${turnCpuMs} ${turnMs}\n`);
    before = now();
  }, everyMs).unref();
}
