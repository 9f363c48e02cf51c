import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import {
  type ExchangeError,
  ExchangeRequestSchema,
  type ExchangeResponse,
  ExchangeResponseSchema,
} from "#gen/registry/v1/list_exchange_service_pb.js";
import type { ServiceError } from "#shared/errors/service-error.ts";
import { serviceErrorOf } from "#shared/rpc/error-conversion.ts";

/** Encodes a message to the registry. */
export function encodeRequest(message: MessageInitShape<typeof ExchangeRequestSchema>): Buffer {
  const bytes = toBinary(ExchangeRequestSchema, create(ExchangeRequestSchema, message));
  // Does not copy the bytes.
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Decodes a message from the registry. @returns undefined if it cannot be parsed */
export function decodeResponse(bytes: Buffer): ExchangeResponse | undefined {
  try {
    return fromBinary(ExchangeResponseSchema, bytes);
  } catch {
    return undefined;
  }
}

/**
 * Converts the failure of a request to the ServiceError that the registry sent or, without one, to a ConnectError with
 * its gRPC status.
 */
export function errorOf({ detail, message, status }: ExchangeError): ServiceError | ConnectError {
  return (detail && serviceErrorOf(detail, message)) ?? new ConnectError(message, status);
}
