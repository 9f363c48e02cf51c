import { Client, type MethodDefinition, type ServiceError, status } from "@grpc/grpc-js";
import { service } from "grpc-health-check";
import { balancing, channelOptions } from "#shared/rpc/channel-options.ts";
import { type ChannelSecurity, plaintext } from "#shared/rpc/grpc-tls.ts";

const timeoutMs = 2_000;
const notServing = "the registry reports that it is not serving";
const unreachable: readonly status[] = [status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.CANCELLED];

// Maximum number of requests per check. Each request goes to the next replica.
const replicasMax = 3;

/**
 * Creates a health check (`grpc.health.v1`) that never rejects. If a replica reports that it is not serving, or does
 * not answer in time, the check asks up to two others: the replica may be starting, stopping or frozen. A server that
 * answers with an error counts as serving, because it may not implement this service.
 *
 * @param security default: no TLS
 */
export function createHealthCheck(address: string, security: ChannelSecurity = plaintext) {
  const client = new Client(address, security.credentials, {
    ...channelOptions,
    ...balancing,
    ...security.options,
    // A connection of its own: a channel that shares a failed one does not learn why it failed.
    "grpc.use_local_subchannel_pool": 1,
  });
  const { Check } = service;
  const check = Check as MethodDefinition<object, { readonly status?: unknown }>;
  const askReplica = () =>
    new Promise<string | undefined>((resolve) => {
      const settle = (error: ServiceError | null, reply?: { readonly status?: unknown }) => {
        if (error !== null) resolve(unreachable.includes(error.code) ? error.details : undefined);
        else resolve(reply?.status === "SERVING" ? undefined : notServing);
      };
      const deadline = Date.now() + timeoutMs;
      const { path, requestSerialize, responseDeserialize } = check;
      client.makeUnaryRequest(path, requestSerialize, responseDeserialize, { service: "" }, { deadline }, settle);
    });
  return {
    /** Resolves to the reason why the registry is not serving; undefined if it is serving. */
    problem: async () => {
      let problem = await askReplica();
      for (let asked = 1; asked < replicasMax && problem !== undefined; asked++) problem = await askReplica();
      return problem;
    },
    close: () => client.close(),
  };
}

export type HealthCheck = ReturnType<typeof createHealthCheck>;
