import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { type ErrorDetail, ErrorDetailSchema } from "#gen/registry/v1/error_detail_pb.js";
import { errorCodeOfGrpc, errorCodes, isErrorCode } from "../errors/error-codes.ts";
import { ServiceError } from "../errors/service-error.ts";

/**
 * Converts an error to the gRPC error sent to the caller: the code, field and public message of a {@link ServiceError},
 * a ConnectError unchanged, or `internal` without details for any other error.
 */
export function toConnectError(error: unknown): ConnectError {
  if (error instanceof ServiceError) {
    const { code, field = "" } = error;
    const detail = { desc: ErrorDetailSchema, value: create(ErrorDetailSchema, { code, field }) };
    return new ConnectError(error.message, errorCodes[code].grpc, undefined, [detail], error.cause);
  }
  if (error instanceof ConnectError) return error;
  return new ConnectError("internal error", Code.Internal, undefined, undefined, error);
}

/**
 * Converts a gRPC failure to a ServiceError: the error sent by the server, or, if the failure has no error details or
 * an unknown error code, an error with the code that its gRPC status maps to (`unavailable` if the call did not reach
 * the server, timed out or was cancelled). Returns a ServiceError unchanged.
 */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const connectError = ConnectError.from(error);
  const detail = connectError.findDetails(ErrorDetailSchema)[0];
  const sent = detail && serviceErrorOf(detail, connectError.rawMessage, error);
  if (sent !== undefined) return sent;
  const code = errorCodeOfGrpc(connectError.code);
  return new ServiceError(code, publicMessages[code] ?? connectError.rawMessage, { cause: error });
}

/**
 * Restores the error that a server sent.
 *
 * @returns undefined for an error code that this version does not know
 */
export function serviceErrorOf(
  detail: Pick<ErrorDetail, "code" | "field">,
  message: string,
  cause?: unknown,
): ServiceError | undefined {
  if (!isErrorCode(detail.code)) return undefined;
  return new ServiceError(detail.code, message, { ...(detail.field !== "" && { field: detail.field }), cause });
}

// Public messages for transport failures, whose own messages can contain internal addresses.
const publicMessages: Readonly<Record<string, string>> = {
  unavailable: "The service is temporarily unavailable. Try again shortly.",
  internal: "An internal error occurred.",
};
