import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { type ErrorDetail, ErrorDetailSchema } from "#gen/registry/v1/error_detail_pb.js";
import { type ErrorCode, errorCodeOfGrpc, errorCodes, isErrorCode } from "../errors/error-codes.ts";
import { ServiceError } from "../errors/service-error.ts";
import { type Reason, reason } from "../reasons/reason.ts";
import { reasonMessage, receivedReason } from "./reason-messages.ts";

/**
 * Converts an error to the gRPC error sent to the caller: the code, field and public message of a {@link ServiceError},
 * a ConnectError unchanged, or `internal` without details for any other error.
 */
export function toConnectError(error: unknown): ConnectError {
  if (error instanceof ServiceError) {
    const { code, field = "", why } = error;
    const detail = {
      desc: ErrorDetailSchema,
      value: create(ErrorDetailSchema, { code, field, reason: reasonMessage(why) }),
    };
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
  return received(code, publicMessages[code] ?? connectError.rawMessage, { cause: error });
}

/**
 * Restores the error that a server sent.
 *
 * @returns undefined for an error code that this version does not know
 */
export function serviceErrorOf(
  detail: Pick<ErrorDetail, "code" | "field" | "reason">,
  message: string,
  cause?: unknown,
): ServiceError | undefined {
  const { code, field, reason: why } = detail;
  if (!isErrorCode(code)) return undefined;
  return received(code, message, { ...(field !== "" && { field }), cause }, receivedReason(why));
}

function received(
  code: ErrorCode,
  message: string,
  options: { readonly field?: string; readonly cause: unknown },
  why?: Reason,
): ServiceError {
  if (why !== undefined || code === "failed_precondition" || code === "conflict")
    return new ServiceError(code, why ?? reason("unknown", { code }), { ...options, message });
  return new ServiceError(code, message, options);
}

// Public messages for transport failures, whose own messages can contain internal addresses.
const publicMessages: Readonly<Record<string, string>> = {
  unavailable: "The service is temporarily unavailable. Try again shortly.",
  internal: "An internal error occurred.",
};
