import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { SetupError } from "./setup-error.ts";

const host = "127.0.0.1";
// Below the ports that systems take for outgoing connections, and give to those who ask for any port. While a server
// starts, or is away, nobody gets its port that way, nor can a client that knocks there end up connected to itself.
const lowest = 15_000;
const highest = 30_000;
const triesMax = 1_000;
const given = new Set<number>();

/** Listens for a moment; rejects with the system's error. */
function tryPort(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ port, host, exclusive: true }, () => {
      server.close(() => resolve());
    });
  });
}

/** A port on 127.0.0.1 that was free a moment ago, and that nobody gets who asks for any port; each time another one. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < triesMax; tries++) {
    const port = randomInt(lowest, highest);
    if (given.has(port)) continue;
    given.add(port);
    if (await portIsFree(port)) return port;
  }
  throw new SetupError(`There is no free port from ${lowest} to ${highest} on ${host}.`);
}

/** So many different ones. */
export function freePorts(count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, () => freePort()));
}

/** Whether a server could listen on 127.0.0.1 at this port now. */
export function portIsFree(port: number): Promise<boolean> {
  return tryPort(port).then(
    () => true,
    () => false,
  );
}

/** The wanted port, or a free one for 0. A port that cannot be had is one sentence (SetupError) naming it. */
export async function claimPort(wanted: number): Promise<number> {
  if (wanted === 0) return freePort();
  try {
    await tryPort(wanted);
    return wanted;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : error;
    throw new SetupError(
      code === "EADDRINUSE"
        ? `Port ${wanted} on ${host} is already in use: end the program that listens there, or choose another port.`
        : `Port ${wanted} on ${host} cannot be used (${code}): choose another port.`,
    );
  }
}
