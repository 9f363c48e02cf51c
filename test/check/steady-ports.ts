import { freePort } from "../../deploy/local/servers/free-port.ts";

/** Different free ports on 127.0.0.1 that can be had again after their servers were killed. */
export function findSteadyPorts(count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, () => freePort()));
}
