import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { youngGeneration } from "#shared/lifecycle/heap-options.ts";
import { type ChildServer, spawnReady } from "../servers/child-server.ts";
import { until } from "../servers/until.ts";
import { compiledFolder } from "./compiled-folder.ts";

/** Absolute path of the project. */
export const projectFolder = fileURLToPath(new URL("../../..", import.meta.url));

/** A program of this project to run as a separate process. */
export interface ServiceSpec {
  readonly name: string;
  /** The program's main file, relative to the project. */
  readonly script: string;
  readonly nodeArgs?: readonly string[];
  /** Environment variables with the program's configuration, added to those that it inherits. */
  readonly env: Readonly<Record<string, string>>;
  /** Returns whether the program is ready. A SetupError ends the wait; any other error counts as false. */
  readonly isReady: () => Promise<boolean>;
}

/**
 * Starts a service and resolves when it is ready.
 *
 * @param logFile file to which the service's output is appended
 * @throws SetupError with the last lines of the output when the service exits early or is not ready within 90 s; the
 * reason of `signal` when the signal aborts
 */
export async function startService(spec: ServiceSpec, logFile: string, signal?: AbortSignal): Promise<ChildServer> {
  const { NODE_OPTIONS = "", ...variables } = spec.env;
  // Also with options of its own, a service has the young generation of the image.
  const env = { NODE_COMPILE_CACHE: compiledFolder, NODE_OPTIONS: `${youngGeneration} ${NODE_OPTIONS}`, ...variables };
  const launch = { command: process.execPath, args: [...(spec.nodeArgs ?? []), spec.script], env };
  const readiness = {
    wait: (ended: AbortSignal) => until(ended, spec.isReady),
    explain: (problem: string) => `${spec.name} ${problem}: see ${logFile}.`,
  };
  return await spawnReady([launch, projectFolder, logFile], readiness, signal);
}

/** Returns whether the operations port reports that the service is ready. @throws Error when it cannot be reached */
export async function reportsReady(operationsPort: number): Promise<boolean> {
  const url = `http://127.0.0.1:${operationsPort}/readyz`;
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
  return response.ok;
}

/** Returns whether a server accepts connections on this port of 127.0.0.1. */
export function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, timeout: 10_000 });
    const done = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once("connect", () => done(true));
    socket.once("timeout", () => done(false));
    socket.once("error", () => done(false));
  });
}
