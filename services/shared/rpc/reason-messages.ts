import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ReasonSchema, Reason as WireReason } from "#gen/registry/v1/reason_pb.js";
import type { Reason } from "../reasons/reason.ts";
import { reasonText } from "../reasons/reason-text.ts";

/** Converts a reason to its message, with its English text; undefined and null mean that there is none. */
export function reasonMessage(reason: Reason | null | undefined): MessageInitShape<typeof ReasonSchema> | undefined {
  if (reason === null || reason === undefined) return undefined;
  return { code: reason.code, params: { ...reason.params }, text: reasonText(reason, "en") };
}

/** Converts a received message, whose code another version may have made; undefined if there is none. */
export function receivedReason(message: Pick<WireReason, "code" | "params"> | undefined): Reason | undefined {
  return message && { code: message.code, params: { ...message.params } };
}
