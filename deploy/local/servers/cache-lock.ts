import { readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { SetupContext } from "./setup-context.ts";

const heartbeatMs = 5_000;
const staleAfterMs = 30_000;
const pollMs = 250;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** A lock is stale when its owner on this machine is dead, or when it has not been touched for 30 s. */
async function isStale(path: string): Promise<boolean> {
  try {
    const [pid, host] = (await readFile(path, "utf8")).split(" ");
    if (host === hostname() && !isAlive(Number(pid))) return true;
    return Date.now() - (await stat(path)).mtimeMs > staleAfterMs;
  } catch {
    return false;
  }
}

async function tryLock(path: string): Promise<boolean> {
  try {
    await writeFile(path, `${process.pid} ${hostname()}`, { flag: "wx" });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/**
 * Runs `work` while holding the lock file, so that two processes do not fetch the same thing at once; waits for another holder.
 * It saves work only: what is fetched becomes visible by one rename, so even two holders do no harm.
 */
export async function withCacheLock<T>(
  path: string,
  context: SetupContext,
  work: () => Promise<T>,
): Promise<T> {
  let told = false;
  while (!(await tryLock(path))) {
    if (await isStale(path)) await rm(path, { force: true });
    else if (!told) {
      context.log(`Another process is fetching the same server; waiting for it (lock file ${path}) …`);
      told = true;
    }
    await delay(pollMs, undefined, { signal: context.signal });
  }
  const heartbeat = setInterval(() => {
    utimes(path, new Date(), new Date()).catch(() => undefined);
  }, heartbeatMs);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    await rm(path, { force: true });
  }
}
