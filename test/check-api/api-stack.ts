import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { startDatabase } from "../../deploy/local/servers/database-server.ts";
import { freePort } from "../../deploy/local/servers/free-port.ts";
import { startMessages } from "../../deploy/local/servers/message-server.ts";
import { type ServiceSpec, startService } from "../../deploy/local/stack/service-process.ts";
import { databaseUri, edgeSpec, registrySpec } from "../../deploy/local/stack/service-specs.ts";

/** An edge and the registry behind it. */
export interface AttackedEdge {
  readonly url: string;
  readonly metricsUrl: string;
  /** The registry's gRPC, `host:port`. */
  readonly registryAddress: string;
}

/** The system under attack: real servers, each service a process of its own, on 127.0.0.1. */
export interface ApiStack {
  /** Never refuses for the limit's sake. */
  readonly unlimited: AttackedEdge;
  /** As in production: 120 requests in a minute, for all of a store. */
  readonly limited: AttackedEdge;
  /** A folder for files of the run; it goes with the stack. */
  readonly folder: string;
  /** Ends every process and removes what they stored. */
  close(): Promise<void>;
}

const unlimited = { REGISTRY_RATE_LIMIT: "10000", REGISTRY_RATE_LIMIT_WINDOW_MS: "1000" };

/** Starts it. @throws SetupError, one sentence, when a part cannot be had or does not start; nothing keeps running then */
export async function startApiStack(signal: AbortSignal, log: (line: string) => void): Promise<ApiStack> {
  const folder = await mkdtemp(path.join(tmpdir(), "check-api-"));
  const undo: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const close = async () => {
    for (const step of undo.toReversed()) await step();
  };
  const service = async (spec: ServiceSpec, env: Readonly<Record<string, string>>) => {
    const all = { ...spec, env: { ...spec.env, ...env } };
    const child = await startService(all, path.join(folder, `${spec.name}.log`), signal);
    undo.push(() => child.stop());
  };
  // Servers that somebody else runs hold somebody else's data.
  const env = { ...process.env, MONGODB_URI: undefined, NATS_URL: undefined };
  const options = (name: string) => ({
    dataDir: path.join(folder, name),
    port: 0,
    log,
    logFile: path.join(folder, `${name}.log`),
    signal,
    env,
  });
  try {
    const database = await startDatabase(options("database"));
    undo.push(() => database.stop());
    const messages = await startMessages(options("messages"));
    undo.push(() => messages.stop());
    const cursorKeyFile = path.join(folder, "cursor.key");
    await writeFile(cursorKeyFile, randomBytes(32));
    const pair = async (limits: Readonly<Record<string, string>>): Promise<AttackedEdge> => {
      const at = {
        mongodbUri: databaseUri(database.url),
        natsUrl: messages.url,
        registryPort: await freePort(),
        registryOperationsPort: await freePort(),
        edgePort: await freePort(),
        edgeOperationsPort: await freePort(),
        notifierOperationsPort: 0,
      };
      await service(registrySpec(at), { ...limits, REGISTRY_LOG_LEVEL: "warn" });
      await service(edgeSpec(at, cursorKeyFile), { EDGE_LOG_LEVEL: "warn" });
      return {
        url: `http://127.0.0.1:${at.edgePort}`,
        metricsUrl: `http://127.0.0.1:${at.edgeOperationsPort}/metrics`,
        registryAddress: `127.0.0.1:${at.registryPort}`,
      };
    };
    return { unlimited: await pair(unlimited), limited: await pair({}), folder, close };
  } catch (error) {
    await close();
    throw error;
  }
}
