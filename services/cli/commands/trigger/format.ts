import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import {
  type Trigger,
  type TriggerDelivery,
  TriggerDeliveryState,
  TriggerDisabledCause,
  TriggerFormat,
} from "#gen/registry/v1/trigger_service_pb.js";
import { printable } from "#shared/text/printable.ts";
import { enumName } from "../../command/enum-names.ts";
import { timeWidthMin } from "../../output/fit-table.ts";
import type { ListFormat } from "../../output/output.ts";
import { reasonDocument } from "../../output/reason-document.ts";
import { timeOrNull, timestampText } from "../../timestamp.ts";
import { excerptLines } from "../event/format.ts";

/** The format of a workflow trigger in lists: a row, then why it is disabled or since when it has been failing. */
export const triggerListFormat: ListFormat<Trigger> = {
  columns: [
    { title: "ID", value: ({ triggerId }) => triggerId, isWhole: true },
    { title: "STATE", value: ({ enabled }) => (enabled ? "enabled" : "disabled"), plainWidth: 8, isWhole: true },
    { title: "FORMAT", value: ({ format }) => enumName(TriggerFormat, format), plainWidth: 11 },
    { title: "WAITING", value: ({ waitingCount }) => `${waitingCount} waiting` },
    { title: "EVENTS", value: eventsText },
    { title: "URL", value: ({ url }) => url },
  ],
  details: stateLines,
  toJson: triggerDocument,
};

/** Describes one trigger in lines: the row of the list, then its details, indented. */
export function triggerLines(trigger: Trigger): string[] {
  const line = triggerListFormat.columns.map(({ value }) => value(trigger)).join("  ");
  return [line, ...stateLines(trigger).map((detail) => `    ${detail}`)];
}

/** Returns the document of a trigger for `--json`; unset values are null. */
export function triggerDocument(trigger: Trigger): object {
  const { triggerId, url, format, events, enabled, disabledCause, disabledReason, waitingCount } = trigger;
  return {
    triggerId,
    url,
    format: enumName(TriggerFormat, format),
    events: events.map(eventText),
    enabled,
    disabledAt: timeOrNull(trigger.disabledAt),
    disabledCause: enabled ? null : enumName(TriggerDisabledCause, disabledCause),
    disabledReason: reasonDocument(disabledReason),
    failingSince: timeOrNull(trigger.failingSince),
    lastDeliveredAt: timeOrNull(trigger.lastDeliveredAt),
    waitingCount,
    createdAt: timeOrNull(trigger.createdAt),
    secretCreatedAt: timeOrNull(trigger.secretCreatedAt),
    previousSecretUntil: timeOrNull(trigger.previousSecretUntil),
  };
}

/** The format of an event in a trigger's log: a row, then the reason and the response of the last attempt. */
export const triggerDeliveryFormat: ListFormat<TriggerDelivery> = {
  columns: [
    { title: "TIME", value: ({ occurredAt }) => timestampText(occurredAt), widthMin: timeWidthMin },
    { title: "EVENT ID", value: ({ eventId }) => eventId, isWhole: true },
    { title: "CERTIFICATE", value: ({ certificateId }) => certificateId },
    { title: "EVENT", value: ({ type }) => enumName(EventType, type), plainWidth: 11 },
    { title: "STATE", value: stateText, plainWidth: 9, isWhole: true },
    { title: "ATTEMPTS", value: attemptsText },
  ],
  details: ({ lastAttempt }) => {
    if (lastAttempt === undefined) return [];
    const reason = printable(lastAttempt.reason?.text ?? "");
    return [...(reason === "" ? [] : [reason]), ...excerptLines(lastAttempt)];
  },
  toJson: (delivery) => {
    const { eventId, triggerId, certificateId, type, attempts, lastAttempt } = delivery;
    const times = { occurredAt: timeOrNull(delivery.occurredAt), nextAttemptAt: timeOrNull(delivery.nextAttemptAt) };
    return {
      eventId,
      triggerId,
      certificateId,
      event: enumName(EventType, type),
      state: stateText(delivery),
      attempts,
      ...times,
      lastAttempt: lastAttempt && {
        at: timeOrNull(delivery.lastAttemptAt),
        kind: enumName(OutcomeKind, lastAttempt.kind),
        httpStatus: lastAttempt.httpStatus || null,
        durationMs: lastAttempt.durationMs,
        reason: reasonDocument(lastAttempt.reason),
        replyExcerpt: lastAttempt.replyExcerpt || null,
      },
    };
  },
};

function eventText(type: EventType): string {
  return enumName(EventType, type);
}

function eventsText({ events }: Trigger): string {
  return events.length === 0 ? "all events" : events.map(eventText).join(",");
}

function stateText({ state }: TriggerDelivery): string {
  return enumName(TriggerDeliveryState, state);
}

function attemptsText({ attempts, lastAttempt, nextAttemptAt }: TriggerDelivery): string {
  const result =
    lastAttempt === undefined ? "" : `, ${lastAttempt.httpStatus || enumName(OutcomeKind, lastAttempt.kind)}`;
  const next = nextAttemptAt === undefined ? "" : `, next ${timestampText(nextAttemptAt)}`;
  return `${attempts}${result}${next}`;
}

function stateLines({ enabled, disabledAt, disabledCause, disabledReason, failingSince }: Trigger): string[] {
  if (enabled) return failingSince === undefined ? [] : [`Failing since ${timestampText(failingSince)}.`];
  const cause = enumName(TriggerDisabledCause, disabledCause);
  return [
    `Disabled at ${timestampText(disabledAt)} (${cause}).`,
    ...(disabledReason ? [printable(disabledReason.text)] : []),
  ];
}
