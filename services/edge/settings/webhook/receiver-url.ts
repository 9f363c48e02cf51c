import { reasonText } from "#shared/reasons/reason-text.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import { type Html, html } from "../../pages/html.ts";
import type { SettingsForm } from "../components/form.ts";
import { requireEntries } from "../components/required-entries.ts";
import type { SentForm, Visit } from "../model/settings-page.ts";

/** Returns the field `url` of a form for a receiver's URL, with the place for the page's check `check`. */
export function receiverUrlField(form: SettingsForm, label: string, hint: string, value = ""): Html {
  return html`${form.text({
    name: "url",
    label,
    hint,
    value,
    type: "url",
    isCode: true,
    charactersMax: textLimits.url.max,
    isRequired: true,
    attributes: html` data-check="check" data-output="url-problem"`,
  })}
<p class="live" id="url-problem" role="status"></p>`;
}

/** Returns the error for the entered URL if the registry refuses it; the empty string for a valid or missing URL. */
export async function checkReceiverUrl({ registry, language, text }: Visit, form: SentForm): Promise<string> {
  const url = form.text("url");
  if (url === "") return "";
  const { problem } = await registry.stores.checkWebhookUrl({ url });
  return problem === undefined ? "" : `${text("settings.webhook.urlRefused")} ${reasonText(problem, language)}`;
}

/** Returns the sent URL. @throws FormRefusal for a URL that is missing or that the registry refuses */
export async function sentReceiverUrl(visit: Visit, form: SentForm): Promise<string> {
  const problem = await checkReceiverUrl(visit, form);
  requireEntries(visit, form, { required: ["url"] }, problem === "" ? [] : [{ field: "url", text: problem }]);
  return form.text("url");
}
