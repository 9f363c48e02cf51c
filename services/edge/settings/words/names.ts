import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { valueName } from "#shared/enums/named-values.ts";
import type { Language } from "#shared/texts/languages.ts";
import { receivedText, textsFor } from "#shared/texts/texts.ts";
import type { Tone } from "../components/content.ts";

/** Returns the name of an event type in a language; the type's number if this version does not know the type. */
export function eventWord(type: EventType, language: Language): string {
  const name = valueName(EventType, type);
  return name === undefined ? String(type) : namedEvent(name, language);
}

/** Returns the word for the name of an event in INTERFACE.md §6; the name itself if this version does not know it. */
export function namedEvent(name: string, language: Language): string {
  return receivedText(language, `settings.words.events.${name}`) ?? name;
}

/** Returns the name of an outcome in a language. @param kind undefined while the delivery is in progress */
export function outcomeWord(kind: OutcomeKind | undefined, language: Language): string {
  return namedOutcome(kind === undefined ? "pending" : valueName(OutcomeKind, kind), language);
}

/** Returns the word for the name of an outcome in lower case, or for an unknown one. */
export function namedOutcome(name: string | undefined, language: Language): string {
  const unknown = textsFor(language)("settings.words.outcomes.unknown");
  return receivedText(language, `settings.words.outcomes.${name}`) ?? unknown;
}

/** Returns the tone of the badge for an outcome. @param kind undefined while the delivery is in progress */
export function outcomeTone(kind: OutcomeKind | undefined): Tone {
  if (kind === OutcomeKind.DELIVERED) return "good";
  return kind === undefined || kind === OutcomeKind.SKIPPED ? "neutral" : "bad";
}
