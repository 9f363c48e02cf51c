import { setTimeout as delay } from "node:timers/promises";
import { lock } from "proper-lockfile";
import { systemErrorCode } from "#shared/errors/system-error-code.ts";
import type { SetupContext } from "./setup-context.ts";

const staleAfterMs = 10_000;
const pollMs = 250;

type Release = () => Promise<void>;

async function tryLock(path: string): Promise<Release | undefined> {
  try {
    // A compromised lock needs no action: see withCacheLock.
    const onCompromised = () => undefined;
    return await lock(path, { stale: staleAfterMs, realpath: false, onCompromised });
  } catch (error) {
    if (systemErrorCode(error) === "ELOCKED") return undefined;
    throw error;
  }
}

/**
 * Runs `work` while holding the lock `<path>.lock`, so that two processes do not install the same server concurrently.
 * Waits while another process holds the lock; takes over a lock that has not been refreshed for 10 s, because its
 * process has probably died. The lock prevents duplicate work; because an atomic rename publishes an installation, the
 * worst effect of two holders is a failed installation.
 */
export async function withCacheLock<T>(path: string, context: SetupContext, work: () => Promise<T>): Promise<T> {
  let release = await tryLock(path);
  if (!release) context.log(`Another process is installing the same server; waiting for ${path}.lock …`);
  while (!release) {
    await delay(pollMs, undefined, { signal: context.signal });
    release = await tryLock(path);
  }
  try {
    return await work();
  } finally {
    // Rejects when another process has taken over the lock.
    await release().catch(() => undefined);
  }
}
