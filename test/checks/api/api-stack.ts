import { freePorts } from "../../../deploy/local/servers/free-port.ts";
import { edgeSpec, registrySpec } from "../../../deploy/local/stack/service-specs.ts";
import type { Say } from "../runner/conduct.ts";
import { makeKeyFiles } from "../runner/key-files.ts";
import { CheckProcesses } from "../runner/processes.ts";
import { startServers } from "../runner/servers.ts";

/** An edge and the registry behind it. */
export interface AttackedEdge {
  readonly url: string;
  readonly metricsUrl: string;
  /** The registry's gRPC, `host:port`. */
  readonly registryAddress: string;
}

/** The system under attack: everything a process of its own, on 127.0.0.1, with data of its own. */
export interface ApiStack {
  /** Admits far more than the attack asks. */
  readonly unlimited: AttackedEdge;
  /** Refuses most of what the attack asks. */
  readonly limited: AttackedEdge;
  /** A folder for files of the run; it goes with the stack. */
  readonly folder: string;
  /** Ends every process and removes what they stored. */
  close(): Promise<void>;
}

type Limits = Readonly<Record<"REGISTRY_RATE_LIMIT" | "REGISTRY_RATE_LIMIT_WINDOW_MS", string>>;

const unlimited: Limits = { REGISTRY_RATE_LIMIT: "10000", REGISTRY_RATE_LIMIT_WINDOW_MS: "1000" };
const limited: Limits = { REGISTRY_RATE_LIMIT: "20", REGISTRY_RATE_LIMIT_WINDOW_MS: "60000" };

/** Starts it. @throws SetupError, one sentence, when a part cannot be had or does not start; nothing keeps running then */
export async function startApiStack(over: AbortSignal, say: Say): Promise<ApiStack> {
  const processes = await CheckProcesses.open({ name: "check-api", keep: false, over, say });
  try {
    const { mongodbUri, natsUrl } = await startServers(processes, false);
    const { cursorKeyFile, secretKeyFile } = await makeKeyFiles(processes);
    const pair = async (name: string, limits: Limits): Promise<AttackedEdge> => {
      const [registryPort = 0, registryOperationsPort = 0, edgePort = 0, edgeOperationsPort = 0] =
        await freePorts(4);
      const ports = { registryPort, registryOperationsPort, edgePort, edgeOperationsPort };
      const at = { mongodbUri, natsUrl, notifierOperationsPort: 0, ...ports };
      const registry = registrySpec(at, secretKeyFile);
      const registryEnv = { ...registry.env, ...limits, REGISTRY_LOG_LEVEL: "warn" };
      await processes.startService({ ...registry, name: `registry-${name}`, env: registryEnv });
      const edge = edgeSpec(at, cursorKeyFile);
      const edgeEnv = { ...edge.env, EDGE_LOG_LEVEL: "warn" };
      await processes.startService({ ...edge, name: `edge-${name}`, env: edgeEnv });
      return {
        url: `http://127.0.0.1:${edgePort}`,
        metricsUrl: `http://127.0.0.1:${edgeOperationsPort}/metrics`,
        registryAddress: `127.0.0.1:${registryPort}`,
      };
    };
    return {
      unlimited: await pair("unlimited", unlimited),
      limited: await pair("limited", limited),
      folder: processes.folder,
      close: () => processes.close(),
    };
  } catch (error) {
    await processes.close();
    throw error;
  }
}
