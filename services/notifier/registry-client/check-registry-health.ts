import { Client, credentials, type MethodDefinition, type ServiceError, status } from "@grpc/grpc-js";
import { service } from "grpc-health-check";

/** Asks a server whether it serves; never throws. */
export interface HealthCheck {
  isServing(): Promise<boolean>;
  close(): void;
}

const timeLimitMs = 2_000;
const unreachable: readonly status[] = [status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.CANCELLED];

/** Checks by grpc.health.v1. A server that answers without having that service is taken to serve. */
export function createHealthCheck(address: string): HealthCheck {
  const client = new Client(address, credentials.createInsecure(), {
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 1_000,
  });
  const { Check } = service;
  const check = Check as MethodDefinition<object, { readonly status?: unknown }>;
  return {
    isServing: () =>
      new Promise((resolve) => {
        const settle = (error: ServiceError | null, reply?: { readonly status?: unknown }) => {
          if (error !== null) resolve(!unreachable.includes(error.code));
          else resolve(reply?.status === "SERVING");
        };
        const deadline = Date.now() + timeLimitMs;
        const { path, requestSerialize, responseDeserialize } = check;
        client.makeUnaryRequest(
          path,
          requestSerialize,
          responseDeserialize,
          { service: "" },
          { deadline },
          settle,
        );
      }),
    close: () => client.close(),
  };
}
