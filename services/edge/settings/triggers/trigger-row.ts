import { type Trigger, TriggerDisabledCause, TriggerFormat } from "#gen/registry/v1/trigger_service_pb.js";
import { type Html, html } from "../../pages/html.ts";
import { formatNumber } from "../../pages/messages/format.ts";
import { badge, code, disclosure, moment, type Row } from "../components/content.ts";
import { SettingsForm } from "../components/form.ts";
import { deliveryReason } from "../delivery-reasons/delivery-reason.ts";
import type { Visit } from "../model/settings-page.ts";
import { eventWord } from "../words/names.ts";
import { actionTexts } from "./action-texts.ts";
import { texts } from "./texts.ts";
import { triggerHealth } from "./trigger-health.ts";

/** Renders a trigger with its state and its forms. */
export function triggerRow(visit: Visit, trigger: Trigger): Row {
  const { language } = visit;
  const { url, format, events, waitingCount, lastDeliveredAt, failingSince, enabled } = trigger;
  const { cloudevents, profile, allEvents, waiting, lastDelivered, failingSince: since } = texts[language];
  return {
    title: code(new URL(url).host),
    state: stateBadge(visit, trigger),
    details: [
      format === TriggerFormat.PROFILE ? profile : cloudevents,
      events.length === 0 ? allEvents : events.map((type) => eventWord(type, language)).join(", "),
      waitingCount === 0 ? undefined : waiting(formatNumber(waitingCount, language)),
      lastDeliveredAt && html`${lastDelivered} ${moment(lastDeliveredAt, language)}`,
      enabled && failingSince !== undefined ? html`${since} ${moment(failingSince, language)}` : undefined,
    ],
    more: html`${disabledReason(visit, trigger)}<div class="disclosures">${actionForms(visit, trigger)}</div>`,
  };
}

function stateBadge({ language }: Visit, trigger: Trigger): Html {
  const { enabled, failing, disabled } = texts[language];
  const health = triggerHealth([trigger]);
  if (!trigger.enabled) return badge(health === "disabled" ? "bad" : "neutral", disabled);
  return health === "failing" ? badge("warn", failing) : badge("good", enabled);
}

function disabledReason({ language }: Visit, { enabled, disabledCause, disabledReason: reason }: Trigger) {
  if (enabled) return undefined;
  const { causes } = texts[language];
  const sentence = {
    [TriggerDisabledCause.UNSPECIFIED]: causes.requested,
    [TriggerDisabledCause.REQUESTED]: causes.requested,
    [TriggerDisabledCause.FAILING]: causes.failing,
    [TriggerDisabledCause.GONE]: causes.gone,
  }[disabledCause];
  return html`<p>${sentence}</p>${reason !== "" && html`<p class="hint">${deliveryReason(reason, language)}</p>`}`;
}

function actionForms(visit: Visit, { triggerId, enabled }: Trigger): Html {
  const action = actionTexts[visit.language];
  const form = (name: string, lead: string, submit: string, kind: "quiet" | "danger") => {
    const fields = new SettingsForm(visit, name, triggerId);
    return disclosure(
      submit,
      fields.frame(html`<p class="hint">${lead}</p>${fields.hidden("trigger", triggerId)}`, { submit, kind }),
    );
  };
  const { test, testLead, rotate, rotateLead, disable, disableLead, enable, enableLead, remove, removeLead } = action;
  return html`${
    enabled
      ? html`${form("test", testLead, test, "quiet")}${form("disable", disableLead, disable, "quiet")}`
      : form("enable", enableLead, enable, "quiet")
  }${form("rotate", rotateLead, rotate, "quiet")}${form("remove", removeLead, remove, "danger")}`;
}
