import type { RequestListener } from "node:http";
import { type DescFile, type DescService, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Server } from "@grpc/grpc-js";
import { ReflectionService } from "@grpc/reflection";
import { HealthImplementation } from "grpc-health-check";
import type { Registry } from "prom-client";
import { checkTogether } from "#shared/config/check-together.ts";
import { hostAndPort } from "#shared/http/host-and-port.ts";
import { closeHttp, createOperationsServer, listenHttp } from "#shared/http/operations-server.ts";
import type { Logger } from "#shared/observe/logger.ts";
import { openGrpcTls } from "#shared/rpc/grpc-tls.ts";
import { type Peer, peers } from "#shared/rpc/peer-names.ts";
import { type Clock, steadyClock } from "#shared/time/clock.ts";
import { observeCertificates } from "#shared/tls/observe-certificates.ts";
import type { TlsFilesDeps } from "#shared/tls/tls-files.ts";
import type { RegistryConfig } from "./config.ts";
import { KnownCertificates } from "./diagnostics/certificate-checks.ts";
import { observeCalls } from "./metrics/observe-calls.ts";
import { observeOperatorCalls, observeOperatorsFile } from "./metrics/observe-operator-calls.ts";
import { createApiServer } from "./operator-api/create-api-server.ts";
import { FailedLogins } from "./operator-api/failed-logins.ts";
import { createOperatorApi, respondStillStarting } from "./operator-api/operator-api.ts";
import { openOperatorsFile } from "./operator-api/operators-file.ts";
import { permittedCallers } from "./rpc/method-access.ts";
import type { OfferedService } from "./rpc/offered-service.ts";
import { registryServices } from "./rpc/registry-services.ts";
import type { ScopeResolver } from "./rpc/resolve-scope.ts";
import { authorizeCallers, readPeers } from "./rpc/server/authorize-callers.ts";
import { closeGrpc, listenGrpc } from "./rpc/server/listen.ts";
import { mountStartingServices } from "./rpc/server/starting-services.ts";

const operationsGraceMs = 1_000;
// A connection of this age accepts no new calls and closes when its calls have ended, so it does not long outlive its
// certificate or the removal of a certificate authority. Edges replace their streams at a lower age, so the streams do
// not keep the connection open for long.
const connectionAgeMsByDefault = 15 * 60_000;
// Longer than any call. After this further time, the calls that are still in progress on the connection are ended.
const connectionGraceMs = 60_000;

interface ServerDeps {
  readonly config: RegistryConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Registry;
  /** Age at which a gRPC connection stops accepting new calls, in milliseconds. Default 15 minutes. */
  readonly connectionAgeMs?: number | undefined;
}

/** State of the servers. The operations port reports the service as ready only in the state `serving`. */
type Phase = "waiting for the database" | "serving" | "stopping";

type ServerFiles = Awaited<ReturnType<typeof openServerFiles>>;

/**
 * Opens the TLS files of gRPC and the files of the operator API, if it is configured.
 *
 * @throws ConfigError naming each operators' file and TLS file that is unusable
 */
export async function openServerFiles(deps: ServerDeps) {
  const { config, clock, logger, metrics } = deps;
  const known = new KnownCertificates();
  const metricsOf = observeCertificates(metrics);
  const certificates = (use: string) => known.watch(use, metricsOf(use));
  const grpc = { prefix: "REGISTRY", self: "registry", clock, logger, ...certificates("grpc") } as const;
  const [tls, api] = await checkTogether([
    Promise.try(openGrpcTls, config, grpc),
    openOperatorApi(deps, certificates("api")),
  ]);
  return { known, tls, api };
}

/**
 * Starts the operations port, gRPC with health checks and reflection, and the operator API if it is configured. Until
 * `serve` is called, all calls except health checks and reflection end with `unavailable`.
 *
 * @throws Error, with a one-sentence message, when it cannot listen on an address
 */
export async function startServers(deps: ServerDeps, { known, tls, api }: ServerFiles) {
  const { config, clock, logger, metrics } = deps;
  const { connectionAgeMs = connectionAgeMsByDefault } = deps;
  let phase: Phase = "waiting for the database";
  const notReadyReason = () => (phase === "serving" ? undefined : phase);
  const operations = createOperationsServer({ notReadyReason, metrics });
  const operationsPort = await listenHttp(operations, config.host, config.operationsPort);
  const apiPort = await api?.listen(config.host, config.apiPort);

  const observe = observeCalls(logger, metrics);
  const domain = config.grpcCertDomain;
  const callers = permittedCallers(registryServices);
  // Without TLS, any caller is taken for any peer.
  const allPeers: ReadonlySet<Peer> = new Set(peers);
  const peersOfCall = tls === undefined ? () => allPeers : readPeers(domain);
  const server = new Server({
    "grpc.max_receive_message_length": 16 * 1024 * 1024,
    "grpc.max_connection_age_ms": connectionAgeMs,
    "grpc.max_connection_age_grace_ms": connectionGraceMs,
    interceptors:
      tls === undefined ? [] : [authorizeCallers({ domain, peersOfCall, permittedCallers: callers, observe })],
  });
  let offered: readonly OfferedService[] = [];
  const removeStartingServices = mountStartingServices(server, registryServices);
  reflection.addToServer(server);
  const health = new HealthImplementation({ "": "NOT_SERVING" });
  health.addToServer(server);
  const port = await listenGrpc(server, hostAndPort(config.host, config.port), tls?.server);

  return {
    ports: { port, operationsPort, apiPort },
    certificates: known,
    /** Begins to serve calls, unless the servers are stopping. */
    serve: (services: readonly OfferedService[], scopes: ScopeResolver) => {
      if (phase === "stopping") return;
      phase = "serving";
      removeStartingServices();
      for (const service of services) service.mountOnGrpc(server, { observe, scopes, peersOfCall });
      offered = services;
      api?.serve(services, scopes);
      health.setStatus("", "SERVING");
    },
    /** Drains and stops the servers. The operations port closes last, after `cleanUp`. */
    stop: async (cleanUp: () => Promise<void>) => {
      phase = "stopping";
      health.setStatus("", "NOT_SERVING");
      await clock.sleep(config.shutdownDelayMs);
      const graceMs = config.shutdownGraceMs;
      for (const service of offered) service.drain?.();
      await Promise.all([closeGrpc(server, graceMs), api?.stop(graceMs)]);
      await tls?.close();
      await cleanUp();
      await closeHttp(operations, operationsGraceMs);
    },
  };
}

/** Opens the operator API. @returns undefined if no operators' file is configured */
async function openOperatorApi(
  { config, clock, logger, metrics }: ServerDeps,
  tlsObserver: Pick<TlsFilesDeps, "onChecked">,
) {
  const { operatorsFile, apiCertFile, apiKeyFile } = config;
  if (operatorsFile === undefined) return undefined;
  let listener: RequestListener = respondStillStarting;
  const serverDeps = { apiCertFile, apiKeyFile, clock, logger, ...tlsObserver };
  const [file, { server, stopReading }] = await checkTogether([
    Promise.try(openOperatorsFile, { path: operatorsFile, clock, logger, onChecked: observeOperatorsFile(metrics) }),
    Promise.try(createApiServer, (request, response) => listener(request, response), serverDeps),
  ]);
  return {
    listen: async (host: string, port: number) => {
      const bound = await listenHttp(server, host, port);
      file.start();
      return bound;
    },
    serve: (services: readonly OfferedService[], scopes: ScopeResolver) => {
      listener = createOperatorApi(services, {
        operators: () => file.value,
        scopes,
        failedLogins: new FailedLogins(steadyClock),
        observe: observeOperatorCalls(logger, metrics),
      });
    },
    stop: async (graceMs: number) => {
      await Promise.all([file.stop(), stopReading(), closeHttp(server, graceMs)]);
    },
  };
}

/**
 * Server reflection (grpc.reflection.v1 and v1alpha) for tools such as grpcurl, from the generated descriptors. Created
 * once for all registries of a process, because indexing the descriptors takes longer than starting a server.
 */
const reflection = createReflection(registryServices);

function createReflection(services: readonly DescService[]): ReflectionService {
  const files = new Map<string, Buffer>();
  for (const service of services) collectFiles(service.file, files);
  // The library reads only `fileDescriptorProtos`; its types require the other members.
  const schema = {
    format: "Protocol Buffer 3 EnumDescriptorProto" as const,
    type: {},
    fileDescriptorProtos: [...files.values()],
  };
  return new ReflectionService({ schema });
}

function collectFiles(file: DescFile, into: Map<string, Buffer>): void {
  if (into.has(file.proto.name)) return;
  for (const dependency of file.dependencies) collectFiles(dependency, into);
  into.set(file.proto.name, Buffer.from(toBinary(FileDescriptorProtoSchema, file.proto)));
}
