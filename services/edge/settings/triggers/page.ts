import type { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { TriggerFormat } from "#gen/registry/v1/trigger_service_pb.js";
import { eventTypes } from "#shared/events/event-name.ts";
import { receivedText } from "#shared/texts/texts.ts";
import { type Html, html } from "../../pages/html.ts";
import { link, panel, rowList } from "../components/content.ts";
import { SettingsForm } from "../components/form.ts";
import { secretView } from "../components/secret-view.ts";
import type { SentForm, SettingsPage, Visit } from "../model/settings-page.ts";
import { checkReceiverUrl, receiverUrlField, sentReceiverUrl } from "../webhook/receiver-url.ts";
import { eventWord } from "../words/names.ts";
import { triggerRow } from "./trigger-row.ts";

/** Lists, creates, tests, enables, disables and deletes workflow triggers, and replaces their secrets. */
export const triggersPage: SettingsPage = {
  path: "/triggers",
  section: "triggers",
  async show(visit) {
    const { language, text, registry, query } = visit;
    const [title, lead] = [text("settings.triggers.secret"), text("settings.triggers.secretLead")];
    if (visit.secret !== undefined) return secretView(visit, visit.secret, { section: "triggers", title, lead });
    const { triggers } = await registry.triggers.listTriggers({});
    return {
      title: text("settings.shell.sections.triggers"),
      lead: text("settings.triggers.lead"),
      notice: receivedText(language, `settings.triggers.action.done.${query.get("done")}`),
      content: html`<section class="panel">${rowList(
        triggers.map((trigger) => triggerRow(visit, trigger)),
        text("settings.triggers.empty"),
      )}
${triggers.length > 0 && html`<p class="more">${link("/triggers/log", text("settings.triggers.log.log"), "button")}</p>`}</section>
${panel(text("settings.triggers.create"), createForm(visit))}`,
    };
  },
  fields: { url: "url" },
  checks: { check: checkReceiverUrl },
  actions: {
    async create(visit, form) {
      const url = await sentReceiverUrl(visit, form);
      const format = form.text("format") === "profile" ? TriggerFormat.PROFILE : TriggerFormat.CLOUDEVENTS;
      const { secret } = await visit.registry.triggers.createTrigger({ url, format, events: chosenEvents(form) });
      return { secret };
    },
    async test({ registry }, form) {
      await registry.triggers.testTrigger({ triggerId: form.text("trigger") });
      return { path: `/triggers/log?trigger=${encodeURIComponent(form.text("trigger"))}` };
    },
    async rotate(visit, form) {
      const { secret } = await visit.registry.triggers.rotateTriggerSecret({ triggerId: form.text("trigger") });
      return { secret };
    },
    async enable({ registry }, form) {
      await registry.triggers.enableTrigger({ triggerId: form.text("trigger") });
      return { path: "/triggers?done=enabled" };
    },
    async disable({ registry }, form) {
      await registry.triggers.disableTrigger({ triggerId: form.text("trigger") });
      return { path: "/triggers?done=disabled" };
    },
    async remove({ registry }, form) {
      await registry.triggers.deleteTrigger({ triggerId: form.text("trigger") });
      return { path: "/triggers?done=removed" };
    },
  },
};

/** Returns the selected events; an empty list, which means all events, if all or none are selected. */
function chosenEvents(form: SentForm): EventType[] {
  const chosen = eventTypes.filter((type) => form.text(eventField(type)) !== "");
  return chosen.length === eventTypes.length ? [] : chosen;
}

function eventField(type: EventType): string {
  return `event-${type}`;
}

function createForm(visit: Visit): Html {
  const { text } = visit;
  const form = new SettingsForm(visit, "create");
  return form.frame(
    html`${receiverUrlField(form, text("settings.triggers.url"), text("settings.triggers.urlHint"))}
${form.choice({
  name: "format",
  label: text("settings.triggers.format"),
  hint: text("settings.triggers.formatHint"),
  value: "cloudevents",
  options: [
    { value: "cloudevents", label: text("settings.triggers.cloudevents") },
    { value: "profile", label: text("settings.triggers.profile") },
  ],
})}
${form.checkboxes({
  name: "events",
  label: text("settings.triggers.events"),
  hint: text("settings.triggers.eventsHint"),
  options: eventTypes.map((type) => ({ name: eventField(type), label: eventWord(type, visit.language) })),
})}`,
    { submit: text("settings.triggers.create") },
  );
}
