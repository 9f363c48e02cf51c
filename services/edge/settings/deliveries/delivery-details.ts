import type { Delivery } from "#gen/registry/v1/inspection_service_pb.js";
import { isTestId } from "#shared/events/event-fields.ts";
import { formatNumber } from "../../pages/format.ts";
import { type Html, html } from "../../pages/html.ts";
import { certificateLink, code, facts } from "../components/content.ts";
import { shownReason } from "../components/shown-reason.ts";
import type { Visit } from "../model/settings-page.ts";
import { actorWord } from "../words/actor.ts";
import { eventWord } from "../words/names.ts";

/** How long the script waits for an arrival: longer than a delivery takes. The merchant can then look again. */
export const liveSeconds = 120;

/** Renders the facts of a delivery, what was sent of a test message, and the reply. */
export function deliveryDetails({ language, text }: Visit, { eventId, outcome, requestedBy }: Delivery): Html {
  return html`${facts([
    ["ID", code(eventId)],
    [text("settings.deliveries.requestedBy"), requestedBy === "" ? undefined : actorWord(requestedBy, language)],
    [text("settings.deliveries.status"), outcome?.httpStatus ? String(outcome.httpStatus) : undefined],
    [text("settings.deliveries.duration"), outcome && `${formatNumber(outcome.durationMs, language)} ms`],
    [text("settings.deliveries.address"), outcome?.remoteAddress ? code(outcome.remoteAddress) : undefined],
    [text("settings.deliveries.reason"), shownReason(outcome?.reason, language)],
  ])}
${excerpt(text("settings.deliveries.reply"), outcome?.replyExcerpt)}
${excerpt(text("settings.deliveries.request"), outcome?.sentRequest)}`;
}

/** Renders an excerpt of a message or a reply; nothing for an empty one. */
export function excerpt(title: string, content = ""): Html | undefined {
  return content === "" ? undefined : html`<p class="hint">${title}</p><pre dir="auto">${content}</pre>`;
}

/** Renders what a message is about: its event and a link to its certificate. */
export function messageTitle(
  { language, text }: Visit,
  message: Pick<Delivery, "eventId" | "type" | "certificateId" | "certificate">,
): Html | string {
  const { eventId, type, certificateId, certificate } = message;
  if (isTestId(eventId)) return text("settings.words.testMessage");
  return html`${eventWord(type, language)}&nbsp;· ${certificateLink(certificateId, certificate, text("settings.deliveries.certificate"))}`;
}
