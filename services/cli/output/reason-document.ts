import type { Reason } from "#gen/registry/v1/reason_pb.js";

/** Returns a reason for JSON output: code, parameters and the registry's English text; null if there is none. */
export function reasonDocument(reason: Reason | undefined): object | null {
  return reason === undefined ? null : { code: reason.code, params: reason.params, text: reason.text };
}
