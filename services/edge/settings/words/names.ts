import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { eventName } from "#shared/events/event-name.ts";
import type { Language } from "../../pages/messages/languages.ts";
import type { Tone } from "../model/tone.ts";
import { words } from "./texts.ts";

/** Returns the name of an event type in a language; the type's number if this version does not know the type. */
export function eventWord(type: EventType, language: Language): string {
  if (EventType[type] === undefined || type === EventType.UNSPECIFIED) return String(type);
  const name = eventName(type);
  return Object.entries(words[language].events).find(([known]) => known === name)?.[1] ?? name;
}

/** Returns the name of an outcome in a language. @param kind undefined while the delivery is in progress */
export function outcomeWord(kind: OutcomeKind | undefined, language: Language): string {
  const { outcomes } = words[language];
  if (kind === undefined) return outcomes.pending;
  const name = OutcomeKind[kind]?.toLowerCase();
  return Object.entries(outcomes).find(([known]) => known === name)?.[1] ?? outcomes.unknown;
}

/** Returns the tone of the badge for an outcome. @param kind undefined while the delivery is in progress */
export function outcomeTone(kind: OutcomeKind | undefined): Tone {
  if (kind === OutcomeKind.DELIVERED) return "good";
  return kind === undefined || kind === OutcomeKind.SKIPPED ? "neutral" : "bad";
}
