import { Code } from "@connectrpc/connect";

interface ErrorCodeRow {
  readonly grpc: Code;
  readonly http: number;
  /** Whether the caller should retry the unchanged call later. */
  readonly retryable: boolean;
}

/** The error codes with their gRPC and HTTP status. INTERFACE.md §7 specifies those of the public API. */
export const errorCodes = {
  bad_request: { grpc: Code.InvalidArgument, http: 400, retryable: false },
  unauthorized: { grpc: Code.Unauthenticated, http: 401, retryable: false },
  plan_required: { grpc: Code.PermissionDenied, http: 403, retryable: false },
  rate_limited: { grpc: Code.ResourceExhausted, http: 429, retryable: true },
  not_found: { grpc: Code.NotFound, http: 404, retryable: false },
  method_not_allowed: { grpc: Code.Unimplemented, http: 405, retryable: false },
  failed_precondition: { grpc: Code.FailedPrecondition, http: 409, retryable: false },
  conflict: { grpc: Code.AlreadyExists, http: 409, retryable: false },
  unavailable: { grpc: Code.Unavailable, http: 503, retryable: true },
  internal: { grpc: Code.Internal, http: 500, retryable: false },
} as const satisfies Record<string, ErrorCodeRow>;

/** The machine-readable code of an error. */
export type ErrorCode = keyof typeof errorCodes;

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorCodes, text);
}

/** Maps a gRPC status without error details to an error code; `internal` if no code matches. */
export function errorCodeOfGrpc(code: Code): ErrorCode {
  if (code === Code.DeadlineExceeded || code === Code.Canceled) return "unavailable";
  const codes = Object.keys(errorCodes).filter(isErrorCode);
  return codes.find((name) => errorCodes[name].grpc === code) ?? "internal";
}
