import { type AskedProcess, startAsked } from "../process/asked-process.ts";
import { type LoadRequest, type LoadRound, loadRound } from "./messages.ts";

/** A load in a process of its own. */
export interface LoadProcess extends Pick<AskedProcess, "pid" | "close"> {
  /** @throws Error with what went wrong in the process */
  round(durationMs: number): Promise<LoadRound>;
}

const openWithinMs = 60_000;
const roundRestMs = 60_000;

/**
 * Starts one of the scripts that call serveLoad.
 *
 * @param script below the project's folder
 * @param setup survives JSON
 */
export async function startLoad<Setup>(script: string, setup: Setup): Promise<LoadProcess> {
  const { pid, ask, close } = startAsked(script);
  const tell = (request: LoadRequest, limitMs: number) => ask(request, limitMs);
  try {
    await tell({ kind: "open", setup }, openWithinMs);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    pid,
    round: async (durationMs) =>
      loadRound.parse(await tell({ kind: "round", durationMs }, durationMs + roundRestMs)),
    close,
  };
}
