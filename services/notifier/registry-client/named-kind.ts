import type { MessageInitShape } from "@bufbuild/protobuf";
import { type DeliveryOutcomeSchema, OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { namedValues } from "#shared/enums/named-values.ts";

const names = new Map<number, string>(Object.entries(namedValues(OutcomeKind)).map(([name, value]) => [value, name]));

/** Adds the name of an outcome's kind, by which a registry of an earlier version stores a kind unknown to it. */
export function withKindName(outcome: MessageInitShape<typeof DeliveryOutcomeSchema>) {
  return { ...outcome, kindName: names.get(outcome.kind ?? 0) ?? "" };
}
