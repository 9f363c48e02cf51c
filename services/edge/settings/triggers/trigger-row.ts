import { type Trigger, TriggerDisabledCause, TriggerFormat } from "#gen/registry/v1/trigger_service_pb.js";
import { valueName } from "#shared/enums/named-values.ts";
import { commaOf } from "../../pages/format.ts";
import { type Html, html } from "../../pages/html.ts";
import { badge, code, moment, type Row } from "../components/content.ts";
import { SettingsForm } from "../components/form.ts";
import { shownReason } from "../components/shown-reason.ts";
import type { Visit } from "../model/settings-page.ts";
import { eventWord } from "../words/names.ts";
import { triggerHealth } from "./trigger-health.ts";

export function triggerRow(visit: Visit, trigger: Trigger): Row {
  const { language, text } = visit;
  const { url, format, events, waitingCount, lastDeliveredAt, failingSince, enabled } = trigger;
  return {
    title: code(new URL(url).host),
    state: stateBadge(visit, trigger),
    details: [
      format === TriggerFormat.PROFILE ? text("settings.triggers.profile") : text("settings.triggers.cloudevents"),
      events.length === 0
        ? text("settings.triggers.allEvents")
        : events.map((type) => eventWord(type, language)).join(commaOf(language)),
      waitingCount === 0 ? undefined : text("settings.triggers.waiting", { count: waitingCount }),
      lastDeliveredAt && html`${text("settings.triggers.lastDelivered")} ${moment(lastDeliveredAt, language)}`,
      enabled && failingSince !== undefined
        ? html`${text("settings.triggers.failingSince")} ${moment(failingSince, language)}`
        : undefined,
    ],
    more: html`${disabledReason(visit, trigger)}<div class="disclosures">${actionForms(visit, trigger)}</div>`,
  };
}

function stateBadge({ text }: Visit, trigger: Trigger): Html {
  const health = triggerHealth([trigger]);
  if (!trigger.enabled) return badge(health === "disabled" ? "bad" : "neutral", text("settings.triggers.disabled"));
  return health === "failing"
    ? badge("warn", text("settings.triggers.failing"))
    : badge("good", text("settings.triggers.enabled"));
}

function disabledReason({ language, text }: Visit, { enabled, disabledCause, disabledReason: why }: Trigger) {
  if (enabled) return undefined;
  const cause = valueName(TriggerDisabledCause, disabledCause) ?? "requested";
  return html`<p>${text(`settings.triggers.causes.${cause}`)}</p>${why && html`<p class="hint">${shownReason(why, language)}</p>`}`;
}

function actionForms(visit: Visit, { triggerId, enabled }: Trigger): Html {
  const { text } = visit;
  const form = (name: string, lead: string, submit: string, kind: "quiet" | "danger") => {
    const settings = new SettingsForm(visit, name, triggerId);
    const fields = html`<p class="hint">${lead}</p>${settings.hidden("trigger", triggerId)}`;
    return settings.disclosed(fields, { submit, kind });
  };
  return html`${
    enabled
      ? html`${form("test", text("settings.triggers.action.testLead"), text("settings.triggers.action.test"), "quiet")}${form("disable", text("settings.triggers.action.disableLead"), text("settings.triggers.action.disable"), "quiet")}`
      : form("enable", text("settings.triggers.action.enableLead"), text("settings.triggers.action.enable"), "quiet")
  }${form("rotate", text("settings.triggers.action.rotateLead"), text("settings.triggers.action.rotate"), "quiet")}${form("remove", text("settings.triggers.action.removeLead"), text("settings.triggers.action.remove"), "danger")}`;
}
