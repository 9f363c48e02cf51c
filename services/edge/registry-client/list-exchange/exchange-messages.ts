import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import {
  type ExchangeError,
  ExchangeRequestSchema,
  ExchangeRequestsSchema,
  type ExchangeResponse,
  ExchangeResponseSchema,
} from "#gen/registry/v1/list_exchange_service_pb.js";
import type { ServiceError } from "#shared/errors/service-error.ts";
import { serviceErrorOf } from "#shared/rpc/error-conversion.ts";
import { encodeBatch } from "#shared/rpc/exchange-batches.ts";

const batchFields = {
  batch: ExchangeRequestSchema.field.batch.number,
  messages: ExchangeRequestsSchema.field.messages.number,
};

/** Encodes a message to the registry. */
export function encodeRequest(message: MessageInitShape<typeof ExchangeRequestSchema>): Buffer {
  const bytes = toBinary(ExchangeRequestSchema, create(ExchangeRequestSchema, message));
  // Does not copy the bytes.
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Combines encoded messages to the registry into one batch message. */
export function batchOfRequests(messages: readonly Buffer[]): Buffer {
  return Buffer.concat(
    encodeBatch(
      batchFields,
      messages.map((message) => [message]),
    ),
  );
}

/** Decodes a message from the registry, or the messages of a batch. @returns undefined if the bytes cannot be parsed */
export function decodeResponses(bytes: Buffer): readonly ExchangeResponse[] | undefined {
  try {
    const response = fromBinary(ExchangeResponseSchema, bytes);
    return response.kind.case === "batch" ? response.kind.value.messages : [response];
  } catch {
    return undefined;
  }
}

/**
 * Returns the ServiceError that the registry sent for a failed request or, if it sent none with a known code, a
 * ConnectError with the gRPC status.
 */
export function errorOf({ detail, message, status }: ExchangeError): ServiceError | ConnectError {
  return (detail && serviceErrorOf(detail, message)) ?? new ConnectError(message, status);
}
