import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorDetailSchema } from "#gen/registry/v1/error_detail_pb.js";
import { errorCodeOfGrpc, errorCodes, isErrorCode } from "../errors/error-codes.ts";
import { ServiceError } from "../errors/service-error.ts";

/**
 * What a failed call shows to its caller. A {@link ServiceError} shows its code, field and public message; anything
 * unknown shows no detail at all.
 */
export function toConnectError(error: unknown): ConnectError {
  if (error instanceof ServiceError) {
    const detail = { desc: ErrorDetailSchema, value: create(ErrorDetailSchema, detailOf(error)) };
    return new ConnectError(error.message, errorCodes[error.code].grpc, undefined, [detail], error.cause);
  }
  if (error instanceof ConnectError) return error;
  return new ConnectError("internal error", Code.Internal, undefined, undefined, error);
}

function detailOf(error: ServiceError): { code: string; field: string } {
  return { code: error.code, field: error.field ?? "" };
}

/** The error that a failed call means to its caller: the other side's own, or `unavailable` when it cannot be reached. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const connectError = ConnectError.from(error);
  const detail = connectError.findDetails(ErrorDetailSchema)[0];
  if (detail !== undefined && isErrorCode(detail.code)) {
    const field = detail.field === "" ? {} : { field: detail.field };
    return new ServiceError(detail.code, connectError.rawMessage, { ...field, cause: error });
  }
  const code = errorCodeOfGrpc(connectError.code);
  return new ServiceError(code, publicMessages[code] ?? connectError.rawMessage, { cause: error });
}

/** What transport failures are called in public: their own texts name addresses. */
const publicMessages: Readonly<Record<string, string>> = {
  unavailable: "The service is not available at the moment. Try again shortly.",
  internal: "Something went wrong on our side.",
};
