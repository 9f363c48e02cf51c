import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { type TriggerDelivery, TriggerDeliveryState } from "#gen/registry/v1/trigger_service_pb.js";
import { valueName } from "#shared/enums/named-values.ts";
import { type Html, html } from "../../pages/html.ts";
import { badge, code, disclosure, facts, listPanel, moment, type Row, type Tone } from "../components/content.ts";
import { shownReason } from "../components/shown-reason.ts";
import { excerpt, messageTitle } from "../deliveries/delivery-details.ts";
import type { SettingsPage, Visit } from "../model/settings-page.ts";

const pageSize = 25;

/** Lists the events of the store's triggers, each with its state, number of attempts and last attempt. */
export const triggerLogPage: SettingsPage = {
  path: "/triggers/log",
  section: "triggers",
  async show(visit) {
    const { registry, query, language, text } = visit;
    const triggerId = query.get("trigger") ?? "";
    const page = { limit: pageSize, pageToken: query.get("page") ?? "" };
    const { deliveries, nextPageToken } = await registry.triggers.listTriggerDeliveries({ triggerId, ...page });
    const next = new URLSearchParams({ ...(triggerId && { trigger: triggerId }), page: nextPageToken });
    return {
      title: text("settings.triggers.log.log"),
      lead: text("settings.triggers.log.lead"),
      parent: { path: "/triggers", title: text("settings.shell.sections.triggers") },
      content: listPanel(
        deliveries.map((delivery) => row(visit, delivery)),
        text("settings.triggers.log.empty"),
        nextPageToken && `/triggers/log?${next}`,
        language,
      ),
    };
  },
};

// States not listed here are neutral.
const tones: Readonly<Partial<Record<TriggerDeliveryState, Tone>>> = {
  [TriggerDeliveryState.DELIVERED]: "good",
  [TriggerDeliveryState.GIVEN_UP]: "bad",
};

function row(visit: Visit, delivery: TriggerDelivery): Row {
  const { language, text } = visit;
  const { occurredAt, state, attempts, nextAttemptAt } = delivery;
  // A later release may know more states.
  const name = valueName(TriggerDeliveryState, state) ?? "waiting";
  return {
    title: messageTitle(visit, delivery),
    state: badge(tones[state] ?? "neutral", text(`settings.triggers.log.states.${name}`)),
    details: [
      moment(occurredAt, language),
      text("settings.triggers.log.attempts", { count: attempts }),
      isLater(nextAttemptAt, visit.now)
        ? html`${text("settings.triggers.log.nextAttempt")} ${moment(nextAttemptAt, language)}`
        : undefined,
    ],
    more: disclosure(text("settings.triggers.log.details"), details(visit, delivery)),
  };
}

function isLater(time: Timestamp | undefined, now: Date): boolean {
  return time !== undefined && timestampDate(time) > now;
}

function details({ language, text }: Visit, { eventId, lastAttempt, lastAttemptAt }: TriggerDelivery): Html {
  return html`${facts([
    ["ID", code(eventId)],
    [text("settings.triggers.log.lastAttempt"), moment(lastAttemptAt, language)],
    ["HTTP", lastAttempt?.httpStatus ? String(lastAttempt.httpStatus) : undefined],
    [text("settings.triggers.log.reason"), shownReason(lastAttempt?.reason, language)],
  ])}
${excerpt(text("settings.triggers.log.reply"), lastAttempt?.replyExcerpt)}`;
}
