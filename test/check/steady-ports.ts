import { randomInt } from "node:crypto";
import { portIsFree } from "../../deploy/local/servers/free-port.ts";

// Below the ports that systems take for outgoing connections. While a killed server is away, none of the connections
// made here can take its port, nor can a client that knocks there again and again end up connected to itself.
const lowest = 15_000;
const highest = 30_000;
const triesMax = 1_000;

/** Different free ports on 127.0.0.1 that can be had again after their servers were killed. */
export async function findSteadyPorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  for (let tries = 0; ports.size < count; tries++) {
    if (tries === triesMax) throw new Error(`There are no ${count} free ports from ${lowest} to ${highest}.`);
    const port = randomInt(lowest, highest);
    if (await portIsFree(port)) ports.add(port);
  }
  return [...ports];
}
