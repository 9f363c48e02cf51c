import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { PreviewRedeliveryResponse } from "#gen/registry/v1/delivery_service_pb.js";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { namedValues } from "../enums/named-values.ts";
import { eventTypeOf } from "../events/event-name.ts";

/** What a person enters to select deliveries of the webhook; an absent or unknown entry selects all of them. */
export interface DeliverySelection {
  /** The public name of an event. */
  readonly event?: string | undefined;
  /** One of {@link outcomeNames}. */
  readonly outcome?: string | undefined;
  /** Id of a certificate, or its serial number. */
  readonly certificate?: string | undefined;
  readonly since?: Timestamp | undefined;
  /** Exclusive. */
  readonly until?: Timestamp | undefined;
}

const failed = "failed";
const outcomes = new Map<string, OutcomeKind>(Object.entries(namedValues(OutcomeKind)));

/**
 * The names of the outcomes by which deliveries can be selected; `failed`: all but `delivered` and `skipped`, without
 * events that were sent again.
 */
export const outcomeNames = [failed, ...outcomes.keys()];

/** Converts entries to the fields of a ListDeliveriesRequest. */
export function selectDeliveries(entered: DeliverySelection) {
  const { event = "", outcome = "", certificate = "", since, until } = entered;
  return {
    event: eventTypeOf(event) ?? EventType.UNSPECIFIED,
    ...(outcome === failed ? { failedOnly: true } : { outcome: outcomes.get(outcome) ?? OutcomeKind.UNSPECIFIED }),
    ...(/^\d+$/.test(certificate) ? { serial: certificate } : { certificateId: certificate }),
    ...(since && { since }),
    ...(until && { until }),
  };
}

export function previewedCount({ counts }: Pick<PreviewRedeliveryResponse, "counts">): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}
