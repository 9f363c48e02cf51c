import { createServer } from "node:net";
import { SetupError } from "./setup-error.ts";

const host = "127.0.0.1";

/** Listens for a moment; resolves to the port, or rejects with the system's error. */
function tryPort(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(address !== null && typeof address === "object" ? address.port : port));
    });
  });
}

/** A port on 127.0.0.1 that was free a moment ago. */
export function freePort(): Promise<number> {
  return tryPort(0);
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
  try {
    return await tryPort(wanted);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : error;
    throw new SetupError(
      code === "EADDRINUSE"
        ? `Port ${wanted} on ${host} is already in use: end the program that listens there, or choose another port.`
        : `Port ${wanted} on ${host} cannot be used (${code}): choose another port.`,
    );
  }
}
