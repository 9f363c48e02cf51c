import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { type TriggerDelivery, TriggerDeliveryState } from "#gen/registry/v1/trigger_service_pb.js";
import { type Html, html } from "../../pages/html.ts";
import { formatNumber } from "../../pages/messages/format.ts";
import { badge, code, disclosure, facts, listPanel, moment, type Row } from "../components/content.ts";
import { deliveryReason } from "../delivery-reasons/delivery-reason.ts";
import type { SettingsPage, Visit } from "../model/settings-page.ts";
import type { Tone } from "../model/tone.ts";
import { shellTexts } from "../shell/texts.ts";
import { eventWord } from "../words/names.ts";
import { words } from "../words/texts.ts";
import { logTexts } from "./log-texts.ts";

const pageSize = 25;

/** Lists the events of the store's triggers, each with its state, number of attempts and last attempt. */
export const triggerLogPage: SettingsPage = {
  path: "/triggers/log",
  section: "triggers",
  async show(visit) {
    const { registry, query, language } = visit;
    const triggerId = query.get("trigger") ?? "";
    const page = { limit: pageSize, pageToken: query.get("page") ?? "" };
    const { deliveries, nextPageToken } = await registry.triggers.listTriggerDeliveries({ triggerId, ...page });
    const { log, lead, empty } = logTexts[language];
    const next = new URLSearchParams({ ...(triggerId && { trigger: triggerId }), page: nextPageToken });
    return {
      title: log,
      lead,
      parent: { path: "/triggers", title: shellTexts[language].sections.triggers },
      content: listPanel(
        deliveries.map((delivery) => row(visit, delivery)),
        empty,
        { path: nextPageToken && `/triggers/log?${next}`, label: words[language].next },
      ),
    };
  },
};

const states = {
  [TriggerDeliveryState.WAITING]: ["waiting", "neutral"],
  [TriggerDeliveryState.DELIVERED]: ["delivered", "good"],
  [TriggerDeliveryState.GIVEN_UP]: ["given_up", "bad"],
  [TriggerDeliveryState.SKIPPED]: ["skipped", "neutral"],
  [TriggerDeliveryState.UNSPECIFIED]: ["waiting", "neutral"],
} as const satisfies Record<TriggerDeliveryState, readonly [name: string, tone: Tone]>;

function row(visit: Visit, delivery: TriggerDelivery): Row {
  const { language } = visit;
  const { eventId, type, occurredAt, state, attempts, nextAttemptAt } = delivery;
  const [name, tone] = states[state];
  const log = logTexts[language];
  const isTest = eventId.startsWith("tst_");
  return {
    title: isTest ? words[language].testMessage : eventWord(type, language),
    state: badge(tone, log.states[name]),
    details: [
      moment(occurredAt, language),
      log.attempts(formatNumber(attempts, language)),
      isLater(nextAttemptAt, visit.now) ? html`${log.nextAttempt} ${moment(nextAttemptAt, language)}` : undefined,
    ],
    more: disclosure(log.details, details(visit, delivery)),
  };
}

/** Returns whether a time is in the future; false for undefined. */
function isLater(time: Timestamp | undefined, now: Date): boolean {
  return time !== undefined && timestampDate(time) > now;
}

function details({ language }: Visit, { eventId, lastAttempt, lastAttemptAt }: TriggerDelivery): Html {
  const { lastAttempt: last, reason, reply } = logTexts[language];
  return html`${facts([
    ["ID", code(eventId)],
    [last, moment(lastAttemptAt, language)],
    ["HTTP", lastAttempt?.httpStatus ? String(lastAttempt.httpStatus) : undefined],
    [reason, lastAttempt && deliveryReason(lastAttempt.reason, language)],
  ])}
${lastAttempt?.replyExcerpt ? html`<p class="hint">${reply}</p><pre dir="auto">${lastAttempt.replyExcerpt}</pre>` : ""}`;
}
