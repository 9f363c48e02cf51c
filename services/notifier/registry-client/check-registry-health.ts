import { Client, type MethodDefinition, type ServiceError, status } from "@grpc/grpc-js";
import { service } from "grpc-health-check";
import { type ChannelSecurity, plaintext } from "#shared/rpc/grpc-tls.ts";

const timeoutMs = 2_000;
const unreachable: readonly status[] = [status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.CANCELLED];

/**
 * Creates a health check (`grpc.health.v1`) that never rejects. A server that answers with an error counts as serving,
 * because it may not implement this service.
 *
 * @param security default: no TLS
 */
export function createHealthCheck(address: string, security: ChannelSecurity = plaintext) {
  const client = new Client(address, security.credentials, {
    ...security.options,
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 1_000,
  });
  const { Check } = service;
  const check = Check as MethodDefinition<object, { readonly status?: unknown }>;
  return {
    /** Resolves to the reason why the registry is not serving; undefined if it is serving. */
    problem: () =>
      new Promise<string | undefined>((resolve) => {
        const settle = (error: ServiceError | null, reply?: { readonly status?: unknown }) => {
          if (error !== null) resolve(unreachable.includes(error.code) ? error.details : undefined);
          else resolve(reply?.status === "SERVING" ? undefined : "the registry reports that it is not serving");
        };
        const deadline = Date.now() + timeoutMs;
        const { path, requestSerialize, responseDeserialize } = check;
        client.makeUnaryRequest(path, requestSerialize, responseDeserialize, { service: "" }, { deadline }, settle);
      }),
    close: () => client.close(),
  };
}

export type HealthCheck = ReturnType<typeof createHealthCheck>;
