import { randomInt } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import getPort, { portNumbers } from "get-port";
import { systemErrorCode } from "#shared/errors/system-error-code.ts";
import { SetupError } from "./setup-error.ts";

const host = "127.0.0.1";
// Below the ephemeral range (from 32,768 on Linux, from 49,152 elsewhere), so that the system does not assign the port
// of a starting server to another process, and a client that reconnects cannot connect to itself.
const lowest = 15_000;
const highest = 29_999;

// A port is chosen seconds before a server listens on it. Until then, only this folder tells other processes that it is
// taken: it has one file per port, with the id of the process that chose the port.
const claims = path.join(tmpdir(), `certificate-registry-ports-${process.getuid?.() ?? ""}`);

/**
 * Returns a free port of 127.0.0.1 between 15,000 and 29,999. No other call returns the port while this process runs,
 * neither in this process nor in another one of the same user.
 *
 * @param first where the search begins. Default: a random port, so that processes that search at the same time rarely
 *   try the same port
 * @throws SetupError when none of these ports is free
 */
export async function freePort(first = randomInt(lowest, highest)): Promise<number> {
  const candidates = [...portNumbers(first, highest), ...portNumbers(lowest, first)];
  for (;;) {
    const port = await getPort({ port: candidates, host, exclusive: true, reserve: true });
    // When all candidates are taken, get-port falls back to an ephemeral port.
    if (port > highest) throw new SetupError(`No port from ${lowest} to ${highest} is free on ${host}.`);
    if (claim(port)) return port;
  }
}

/** Claims a port for this process. @returns false if another process that still runs has claimed it */
function claim(port: number): boolean {
  mkdirSync(claims, { recursive: true });
  const file = path.join(claims, String(port));
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (systemErrorCode(error) !== "EEXIST") throw error;
    if (isRunning(ownerOf(file))) return false;
    // Its process has ended. The next attempt decides between processes that remove it at the same time.
    rmSync(file, { force: true });
    return claim(port);
  }
}

// The process that claimed a port; 0, which counts as running, while the claim is being written or removed.
function ownerOf(file: string): number {
  try {
    return Number(readFileSync(file, "utf8"));
  } catch {
    return 0;
  }
}

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    return systemErrorCode(error) === "EPERM";
  }
}

/** Listens on the port and closes it again; rejects with the system's error. */
function tryPort(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve()));
  });
}

/** Returns why a server cannot listen on this port of 127.0.0.1 now, such as `EADDRINUSE`; undefined if it can. */
async function portProblem(port: number): Promise<string | undefined> {
  try {
    await tryPort(port);
    return undefined;
  } catch (error) {
    return systemErrorCode(error) ?? String(error);
  }
}

/** Returns whether a server could listen on this port of 127.0.0.1 now. */
export async function portIsFree(port: number): Promise<boolean> {
  return (await portProblem(port)) === undefined;
}

/**
 * Returns the requested port, or a free port if 0 is requested.
 *
 * @throws SetupError naming the port when it cannot be used
 */
export async function claimPort(requested: number): Promise<number> {
  if (requested === 0) return freePort();
  await requireFreePort(requested, `Port ${requested} on ${host}`, "choose another port");
  return requested;
}

/**
 * Checks that a server can listen on a port of 127.0.0.1 now.
 *
 * @param what names the port in the message
 * @param remedy what to do instead, as a clause for the message
 * @throws SetupError with the reason and the remedy
 */
export async function requireFreePort(port: number, what: string, remedy: string): Promise<void> {
  const problem = await portProblem(port);
  if (problem === undefined) return;
  throw new SetupError(
    problem === "EADDRINUSE"
      ? `${what} is in use: stop the program that is listening on it, or ${remedy}.`
      : `${what} cannot be used (${problem}): ${remedy}.`,
  );
}
