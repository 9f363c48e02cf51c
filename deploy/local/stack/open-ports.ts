import { claimPort } from "../servers/free-port.ts";
import { SetupError } from "../servers/setup-error.ts";

/**
 * Makes sure that a port is free before anything is started.
 *
 * @param option the option of `npm start` that chooses another one
 * @throws SetupError naming the port and the way out
 */
export async function requireFreePort(what: string, port: number, option: string): Promise<void> {
  try {
    await claimPort(port);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    throw new SetupError(
      `Port ${port} (${what}) is in use. End what uses it (an earlier npm start?), or choose another: npm start -- ${option} ${port + 1}`,
    );
  }
}
