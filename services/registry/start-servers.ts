import { readFile } from "node:fs/promises";
import { Server } from "@grpc/grpc-js";
import { HealthImplementation } from "grpc-health-check";
import type { Registry } from "prom-client";
import { closeHttp, createOperationsServer, listenHttp } from "#shared/http/operations-server.ts";
import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { RegistryConfig } from "./config.ts";
import { observeCalls } from "./metrics/observe-calls.ts";
import { createHttpApi } from "./rpc/http-api.ts";
import type { OfferedService } from "./rpc/offered-service.ts";
import { parseOperators } from "./rpc/operators.ts";
import { closeGrpc, listenGrpc } from "./rpc/server/listen.ts";
import { addReflection } from "./rpc/server/reflection.ts";

const operationsGraceMs = 1_000;

interface ServerDeps {
  readonly config: RegistryConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Registry;
}

/** Starts gRPC with health checks and reflection, the operations port, and the operator API if it is configured. */
export async function startServers(services: readonly OfferedService[], deps: ServerDeps) {
  const { config, clock, logger, metrics } = deps;
  const server = new Server({ "grpc.max_receive_message_length": 16 * 1024 * 1024 });
  const observe = observeCalls(logger, metrics);
  for (const service of services) service.mountOnGrpc(server, observe);
  addReflection(
    server,
    services.map(({ service }) => service),
  );
  const health = new HealthImplementation({ "": "SERVING" });
  health.addToServer(server);

  let stopping = false;
  const notReadyReason = () => (stopping ? "stopping" : undefined);
  const operations = createOperationsServer({ notReadyReason, metrics });
  const operationsPort = await listenHttp(operations, config.host, config.operationsPort);
  const api = await startHttpApi(config, services);
  const port = await listenGrpc(server, `${config.host}:${config.port}`);

  return {
    port,
    operationsPort,
    apiPort: api?.port,
    /** Drains and stops the servers. The operations port closes last, after `cleanUp`. */
    stop: async (cleanUp: () => Promise<void>) => {
      stopping = true;
      health.setStatus("", "NOT_SERVING");
      await clock.sleep(config.shutdownDelayMs);
      const graceMs = config.shutdownGraceMs;
      await Promise.all([closeGrpc(server, graceMs), api && closeHttp(api.server, graceMs)]);
      await cleanUp();
      await closeHttp(operations, operationsGraceMs);
    },
  };
}

async function startHttpApi({ operatorsFile, host, apiPort }: RegistryConfig, services: readonly OfferedService[]) {
  if (operatorsFile === undefined) return undefined;
  const server = createHttpApi(services, parseOperators(await readFile(operatorsFile, "utf8")));
  return { server, port: await listenHttp(server, host, apiPort) };
}
