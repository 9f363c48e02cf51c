import { portProblem } from "../servers/free-port.ts";
import { SetupError } from "../servers/setup-error.ts";

/**
 * Checks that a port is free before anything is started.
 *
 * @param purpose what the port is for, as a noun for the message
 * @param option the option of `npm start` that selects another port
 * @throws SetupError with the port and the remedy
 */
export async function requireFreePort(purpose: string, port: number, option: string): Promise<void> {
  const problem = await portProblem(port);
  if (problem === undefined) return;
  throw new SetupError(
    problem === "EADDRINUSE"
      ? `Port ${port} (${purpose}) is in use. Stop the program that uses it (an earlier npm start?), or choose another port: npm start -- ${option} ${port + 1}`
      : `Port ${port} (${purpose}) cannot be used (${problem}). Choose another port: npm start -- ${option} <port>`,
  );
}
