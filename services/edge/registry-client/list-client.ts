import { Code, ConnectError, createClient } from "@connectrpc/connect";
import type { Registry } from "prom-client";
import { EdgeService, type HandleListResponse } from "#gen/registry/v1/edge_service_pb.js";
import { ErrorDetailSchema } from "#gen/registry/v1/error_detail_pb.js";
import { ListExchangeService } from "#gen/registry/v1/list_exchange_service_pb.js";
import type { ServiceError } from "#shared/errors/service-error.ts";
import { RetryQueue } from "#shared/lifecycle/retry-queue.ts";
import type { Logger } from "#shared/observe/logger.ts";
import type { ClientCallObserver } from "#shared/observe/observe-client-calls.ts";
import { createGrpcClient, observed } from "#shared/rpc/grpc-client.ts";
import { CallNotSentError } from "#shared/rpc/grpc-failure.ts";
import { steadyClock } from "#shared/time/clock.ts";
import type { CallOptions, ListRequest } from "./list-exchange/list-call.ts";
import { ListExchange, type ListExchangeOptions } from "./list-exchange/list-exchange.ts";
import { observeStreams } from "./observe-streams.ts";
import { clientError } from "./passing-on.ts";

export type { CallOptions, ListRequest } from "./list-exchange/list-call.ts";

/** The part of the registry's API that the certificate list uses. */
export interface ListClient {
  /**
   * Admits or refuses a request, and returns the requested page. If a failed call may have taken a place in the rate
   * limit, the edge returns the place in the background, unless the API client has disconnected.
   *
   * @throws ServiceError `unavailable`, `bad_request` naming a parameter, or `internal`
   */
  handleList(request: ListRequest, options: CallOptions): Promise<HandleListResponse>;
  /**
   * Yields, in pages, the SHA-256 hashes of the valid keys that were used on any replica within the last
   * `withinSeconds` seconds.
   */
  recentKeys(withinSeconds: number, signal: AbortSignal): AsyncIterable<readonly Uint8Array[]>;
}

// The default rate-limit window, after which the registry frees a place by itself.
const returnLifeMs = 60_000;
const returnTimeoutMs = 2_000;
const recentKeysTimeoutMs = 10_000;

interface RegistryOptions extends Pick<ListExchangeOptions, "address" | "security" | "streamAgeMs"> {
  readonly logger: Logger;
  readonly metrics: Registry;
  /** Called at the end of each unary call and each list request. */
  readonly onCall?: ClientCallObserver;
}

/**
 * Creates a client. It immediately opens long-lived streams for list requests, and replaces lost streams. All other
 * calls are unary, over a channel that connects on the first call.
 *
 * @throws Error for an address that cannot be parsed
 */
export function connectRegistry(options: RegistryOptions): ListClient & { close(): Promise<void> } {
  const { address, security, streamAgeMs, logger, metrics, onCall } = options;
  const transport = createGrpcClient({ address, security, onCall });
  const client = createClient(EdgeService, transport);
  const exchange = new ListExchange({
    address,
    security,
    streamAgeMs,
    clock: steadyClock,
    ...observeStreams(logger, metrics, () => exchange),
  });
  const returns = new RetryQueue<Pick<ListRequest, "keySha256" | "admissionId">>({
    clock: steadyClock,
    lifeMs: returnLifeMs,
    attempt: async (admissions, signal) => {
      await client.returnAdmissions({ admissions: [...admissions] }, { timeoutMs: returnTimeoutMs, signal });
      return [];
    },
  });
  return {
    async handleList(request, options) {
      const call = () => exchange.handleList(request, options);
      try {
        return await observed(ListExchangeService.method.exchange, onCall, call);
      } catch (error) {
        const { keySha256, admissionId } = request;
        if (mayHoldPlace(error)) returns.add({ keySha256, admissionId });
        throw registryFailure(error);
      }
    },
    async *recentKeys(withinSeconds, signal) {
      let afterStoreId = "";
      do {
        const options = { timeoutMs: recentKeysTimeoutMs, signal };
        const page = await client.listRecentKeys({ withinSeconds, afterStoreId }, options);
        yield page.keySha256;
        afterStoreId = page.nextStoreId;
      } while (afterStoreId !== "");
    },
    async close() {
      exchange.close();
      await returns.stop();
      transport.close();
    },
  };
}

/**
 * Returns whether the edge must return a rate-limit place that a failed call may have taken: the call may have reached
 * a registry, but no response arrived. Returns false for a call that the edge cancelled because the API client
 * disconnected: such a request counts (INTERFACE.md §8).
 */
export function mayHoldPlace(error: unknown): boolean {
  const failure = ConnectError.from(error);
  if (failure.cause instanceof CallNotSentError || failure.findDetails(ErrorDetailSchema).length > 0) return false;
  return failure.code === Code.Unavailable || failure.code === Code.DeadlineExceeded;
}

/**
 * Converts a failed registry call to the error for the API client. Only `unavailable` and a `bad_request` with a field
 * concern the client. Every other failure is a fault between the services, such as a response that is too large; its
 * gRPC status must not become 401, 405 or 429.
 */
export function registryFailure(error: unknown): ServiceError {
  return clientError(
    error,
    ({ code, field }) => code === "unavailable" || (code === "bad_request" && field !== undefined),
  );
}
