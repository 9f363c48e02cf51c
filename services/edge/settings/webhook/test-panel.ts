import { type Html, html } from "../../pages/html.ts";
import { badge, link, panel } from "../components/content.ts";
import { SettingsForm } from "../components/form.ts";
import { deliveryDetails, liveSeconds } from "../deliveries/delivery-details.ts";
import type { Visit } from "../model/settings-page.ts";
import { outcomeTone, outcomeWord } from "../words/names.ts";

/** Renders the form that sends a test message and, beside it, the arrival of the last one. */
export async function testPanel(visit: Visit): Promise<Html> {
  const { text } = visit;
  const form = new SettingsForm(visit, "test").frame("", { submit: text("settings.webhook.sendTest"), kind: "quiet" });
  return html`<div class="beside">
${panel(text("settings.webhook.test"), form, text("settings.webhook.testLead"))}
${await arrivalPanel(visit)}
</div>`;
}

/** Renders the delivery that the URL names. Until it has ended, the page's script reads the page again. */
async function arrivalPanel(visit: Visit): Promise<Html | undefined> {
  const { registry, query, language, text } = visit;
  const eventId = /^tst_[0-9a-z]+$/.exec(query.get("test") ?? "")?.[0];
  if (eventId === undefined) return undefined;
  const [delivery] = (await registry.inspection.listDeliveries({ eventId, limit: 1 })).deliveries;
  const kind = delivery?.outcome?.kind;
  const state = badge(outcomeTone(kind), outcomeWord(kind, language));
  const isOver = delivery?.outcome !== undefined;
  return html`<section class="panel" id="arrival"${!isOver && html` data-live="${liveSeconds}"`}><div role="status"><h2>${text("settings.webhook.arrival")}</h2>
<p>${state}</p></div>
${
  isOver
    ? deliveryDetails(visit, delivery)
    : html`<p class="hint">${text("settings.webhook.arriving")}</p>
<p class="more" data-without-script>${link(`/webhook?test=${eventId}`, text("settings.import.refresh"), "button")}</p>`
}</section>`;
}
