import { setTimeout as delay } from "node:timers/promises";
import { execa } from "execa";
import { freePort } from "../../../deploy/local/servers/free-port.ts";
import { lastLinesOf } from "../../../deploy/local/servers/run-command.ts";
import { compiledFolder } from "../../../deploy/local/stack/compiled-folder.ts";
import { projectFolder, reportsReady } from "../../../deploy/local/stack/service-process.ts";
import {
  edgeSpec,
  notifierSpec,
  registrySpec,
  type StackAddresses,
} from "../../../deploy/local/stack/service-specs.ts";
import type { BenchStack } from "../bench-stack.ts";

/** The services for which {@link startReplica} can start a replica. */
export const serviceNames = ["registry", "edge", "notifier"] as const;

export type ServiceName = (typeof serviceNames)[number];

const readyWithinMs = 60_000;
const pollMs = 5;

/** Whether Node loads the service's modules from the compile cache, as with `npm start`, or compiles them. */
export type Modules = "compiled" | "source";

const variablesOf: Readonly<Record<Modules, Record<string, string>>> = {
  compiled: { NODE_COMPILE_CACHE: compiledFolder },
  source: { NODE_DISABLE_COMPILE_CACHE: "1" },
};

/**
 * Starts a replica of a service in addition to those of the stack. Resolves once the replica's `/readyz` returns 200.
 *
 * @throws Error when the service exits or is not ready within a minute
 */
export async function startReplica(stack: BenchStack, name: ServiceName, modules: Modules, signal: AbortSignal) {
  const { script, env, operationsPort, edgePort } = await specOf(stack, name);
  const startedAt = performance.now();
  const child = execa(process.execPath, [script], {
    cwd: projectFolder,
    env: { ...env, ...variablesOf[modules] },
    cancelSignal: signal,
    stdin: "ignore",
    reject: false,
    // Keeps the output of the service out of the output of the benchmark.
    all: true,
    stdout: "pipe",
    stderr: "pipe",
  });
  const stop = async () => {
    child.kill("SIGTERM");
    await child;
  };
  try {
    while (!(await reportsReady(operationsPort).catch(() => false))) {
      signal.throwIfAborted();
      if (child.exitCode !== null || performance.now() - startedAt > readyWithinMs)
        throw new Error(`${name} did not become ready:${await outputOf(child)}`);
      await delay(pollMs);
    }
    return { pid: child.pid ?? 0, edgePort, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Kills a service. @returns the last lines of its output */
async function outputOf(child: { kill(signal: "SIGKILL"): boolean } & PromiseLike<{ readonly all?: string }>) {
  child.kill("SIGKILL");
  return lastLinesOf((await child).all ?? "");
}

async function specOf(stack: BenchStack, name: ServiceName) {
  const operationsPort = await freePort();
  const edgePort = await freePort();
  const at: StackAddresses = {
    mongodbUri: stack.databaseUri,
    natsUrl: stack.natsUrl,
    edgePort,
    // The edge and the notifier call the stack's registry.
    registryPort: name === "registry" ? await freePort() : Number(stack.registry.address.split(":").at(-1)),
    registryOperationsPort: operationsPort,
    edgeOperationsPort: operationsPort,
    notifierOperationsPort: operationsPort,
  };
  const specs = {
    registry: registrySpec(at, stack.secrets),
    edge: edgeSpec(at, stack.secrets),
    notifier: notifierSpec(at, stack.secrets),
  };
  return { ...specs[name], operationsPort, edgePort };
}
