import { fork } from "node:child_process";
import { once } from "node:events";
import { z } from "zod";
import { projectFolder } from "../../../deploy/local/stack/service-process.ts";

/** A message to flooding-receivers.ts: the first one starts the receivers; later ones only request their state. */
export const floodSetup = z.object({ certFile: z.string(), keyFile: z.string(), count: z.int() });

const floodState = z.object({ ports: z.array(z.int()), floods: z.int() });

/** The response of flooding-receivers.ts to every message. */
export type FloodState = z.output<typeof floodState>;

const answerWithinMs = 30_000;

/** Starts `count` receivers in one process. Instead of a reply, they send a flood of TLS session tickets. */
export async function startFloodingReceivers(setup: z.output<typeof floodSetup>) {
  const child = fork("test/bench/floods/flooding-receivers.ts", { cwd: projectFolder });
  const exited = once(child, "exit");
  const request = async () => {
    child.send(setup);
    const [answer] = await once(child, "message", { signal: AbortSignal.timeout(answerWithinMs) });
    return floodState.parse(answer);
  };
  const close = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  try {
    const { ports } = await request();
    return { ports, floodsBegun: async () => (await request()).floods, close };
  } catch (error) {
    await close();
    throw error;
  }
}
