import type { MessageInitShape } from "@bufbuild/protobuf";
import { type DeliveryOutcomeSchema, OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { valueName } from "#shared/enums/named-values.ts";

/** Adds the name of an outcome's kind, by which a registry of an earlier version stores a kind unknown to it. */
export function withKindName(outcome: MessageInitShape<typeof DeliveryOutcomeSchema>) {
  return { ...outcome, kindName: valueName(OutcomeKind, outcome.kind ?? 0) ?? "" };
}
