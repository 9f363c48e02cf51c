import type { MessageInitShape } from "@bufbuild/protobuf";
import { type CallOptions, createClient } from "@connectrpc/connect";
import {
  type AdmitResponse,
  EdgeService,
  type ListCertificatesRequestSchema,
  type ListCertificatesResponse,
} from "#gen/registry/v1/edge_service_pb.js";
import { createGrpcClient } from "#shared/rpc/grpc-client.ts";
import { registryFailure } from "./registry-failure.ts";

/** The request for one page; omitted fields have their default. */
export type ListRequest = MessageInitShape<typeof ListCertificatesRequestSchema>;

/**
 * The registry's API for the edge, which cannot change certificates. Calls fail with a ServiceError: `unavailable`,
 * `bad_request` naming a parameter, or `internal`.
 */
export interface RegistryClient {
  /**
   * Admits or refuses a request. An admitted request counts towards the store's rate limit.
   *
   * @param keySha256 32 bytes
   */
  admit(keySha256: Uint8Array, requestId: string): Promise<AdmitResponse>;
  /** Returns one page of a store's certificates. */
  listCertificates(request: ListRequest, requestId: string): Promise<ListCertificatesResponse>;
}

/** A closable {@link RegistryClient}. */
export interface RegistryConnection extends RegistryClient {
  close(): void;
}

/** Options of {@link connectRegistry}. */
export interface RegistryOptions {
  /** `host:port` or `dns:///host:port`. */
  readonly address: string;
  /** Deadline of each call. */
  readonly timeoutMs: number;
}

/** Creates a client that connects on first use and reconnects after a lost connection. */
export function connectRegistry(options: RegistryOptions): RegistryConnection {
  const transport = createGrpcClient(options);
  const client = createClient(EdgeService, transport);
  return {
    admit: (keySha256, requestId) => convertErrors(client.admit({ keySha256 }, withRequestId(requestId))),
    listCertificates: (request, requestId) =>
      convertErrors(client.listCertificates(request, withRequestId(requestId))),
    close: () => transport.close(),
  };
}

function withRequestId(requestId: string): CallOptions {
  return { headers: { "x-request-id": requestId } };
}

async function convertErrors<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw registryFailure(error);
  }
}
