import { type Html, html } from "../../pages/html.ts";
import { link } from "../components/content.ts";
import { SettingsForm } from "../components/form.ts";
import { shownReason } from "../components/shown-reason.ts";
import type { Visit } from "../model/settings-page.ts";

/**
 * How long the script waits for the image: longer than the leases of three attempts that no notifier survives. The
 * merchant can then look again.
 */
const liveSeconds = 780;

/** Renders the form that takes the image from the storefront, or its progress; undefined if there is no such image. */
export async function storefrontImageForm(visit: Visit, productId: string): Promise<Html | undefined> {
  const { language, text, query, registry } = visit;
  const found = await registry.images.getStorefrontImage({ productId });
  if (found.isRequested)
    return html`<div data-live="${liveSeconds}"><p class="hint" role="status">${text("settings.products.taking")}</p>
<p class="more" data-without-script>${link(`/products/product?${query}`, text("settings.import.refresh"), "button")}</p></div>`;
  if (!found.isKnown) return undefined;
  const { problem } = found;
  const form = new SettingsForm(visit, "takeImage").frame("", {
    submit: text("settings.products.takeImage"),
    kind: "quiet",
  });
  return html`${problem && html`<p class="banner bad">${shownReason(problem, language)}</p>`}
${form}`;
}
