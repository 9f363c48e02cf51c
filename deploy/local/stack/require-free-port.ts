import { claimPort } from "../servers/free-port.ts";
import { SetupError } from "../servers/setup-error.ts";

/**
 * Checks that a port is free before anything is started.
 *
 * @param purpose what the port is for, as a noun for the message
 * @param option the option of `npm start` that selects another port
 * @throws SetupError with the port and the remedy
 */
export async function requireFreePort(purpose: string, port: number, option: string): Promise<void> {
  try {
    await claimPort(port);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    throw new SetupError(
      `Port ${port} (${purpose}) is in use. Stop the program that uses it (an earlier npm start?), or choose another port: npm start -- ${option} ${port + 1}`,
    );
  }
}
