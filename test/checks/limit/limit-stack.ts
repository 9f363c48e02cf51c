import { MongoClient } from "mongodb";
import { freePorts } from "../../../deploy/local/servers/free-port.ts";
import { edgeSpec, registrySpec } from "../../../deploy/local/stack/service-specs.ts";
import { type Collections, collectionsOf } from "../../../services/registry/mongo/collections.ts";
import type { Say } from "../runner/conduct.ts";
import { makeKeyFiles } from "../runner/key-files.ts";
import type { Part } from "../runner/part.ts";
import { CheckProcesses } from "../runner/processes.ts";
import { connectRegistry, type RegistryCalls } from "../runner/registry-calls.ts";
import { startServers } from "../runner/servers.ts";
import type { LimitOptions } from "./options.ts";

/** The system under test: everything a process of its own, on 127.0.0.1, with data of its own. */
export interface LimitStack {
  readonly registry: RegistryCalls;
  /** Three, before one registry. */
  readonly edgeUrls: readonly string[];
  readonly database: Part;
  /** The registry and the edges. */
  readonly services: readonly Part[];
  /** Straight to the database, past the registry. */
  readonly collections: Collections;
  /** Ends every process and removes what they stored. */
  close(): Promise<void>;
}

type StackOptions = Pick<LimitOptions, "policy" | "limitOfRegistry" | "buildFast" | "keep">;

const edges = 3;

/** Starts it. @throws SetupError, one sentence, when a part cannot be had or does not start; nothing keeps running then */
export async function startLimitStack(
  options: StackOptions,
  over: AbortSignal,
  say: Say,
): Promise<LimitStack> {
  const processes = await CheckProcesses.open({ name: "check-limit", keep: options.keep, over, say });
  try {
    return await startOn(processes, options);
  } catch (error) {
    await processes.close();
    throw error;
  }
}

async function startOn(processes: CheckProcesses, options: StackOptions): Promise<LimitStack> {
  const { database, mongodbUri, natsUrl } = await startServers(processes, options.buildFast);
  const client = new MongoClient(mongodbUri, { readConcern: { level: "majority" } });
  processes.onClose(() => client.close());
  const { cursorKeyFile, secretKeyFile } = await makeKeyFiles(processes);
  const [registryPort = 0, registryOperationsPort = 0, ...ports] = await freePorts(2 + 2 * edges);
  const none = { edgePort: 0, edgeOperationsPort: 0, notifierOperationsPort: 0 };
  const at = { mongodbUri, natsUrl, registryPort, registryOperationsPort, ...none };
  const spec = registrySpec(at, secretKeyFile);
  const limits = {
    REGISTRY_RATE_LIMIT: String(options.limitOfRegistry),
    REGISTRY_RATE_LIMIT_WINDOW_MS: String(options.policy.windowMs),
  };
  const services = [
    await processes.startService({ ...spec, env: { ...spec.env, ...limits, REGISTRY_LOG_LEVEL: "warn" } }),
  ];
  const edgePorts = ports.slice(0, edges);
  for (const [index, edgePort] of edgePorts.entries()) {
    const edge = edgeSpec({ ...at, edgePort, edgeOperationsPort: ports[edges + index] ?? 0 }, cursorKeyFile);
    const env = { ...edge.env, EDGE_LOG_LEVEL: "warn" };
    services.push(await processes.startService({ ...edge, name: `edge-${index + 1}`, env }));
  }
  const registry = connectRegistry(`127.0.0.1:${registryPort}`);
  processes.onClose(async () => registry.close());
  return {
    ...{ registry, database, services, collections: collectionsOf(client.db()) },
    edgeUrls: edgePorts.map((port) => `http://127.0.0.1:${port}`),
    close: () => processes.close(),
  };
}
