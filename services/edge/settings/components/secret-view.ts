import { type Html, html } from "../../pages/html.ts";
import type { View, Visit } from "../model/settings-page.ts";
import { copyField, link } from "./content.ts";

interface NewSecret {
  /** Of the page that created the secret. */
  readonly section: "keys" | "triggers" | "webhook";
  readonly title: string;
  /** What to do with the secret. */
  readonly lead: string;
  /** Shown above. Default: nothing. */
  readonly banner?: Html | undefined;
  /** Shown below. Default: nothing. */
  readonly further?: Html | undefined;
}

/** Shows a new secret, which is never shown again. */
export function secretView(
  { language, text }: Visit,
  secret: string,
  { section, title, lead, banner, further }: NewSecret,
): View {
  const parent = { path: `/${section}`, title: text(`settings.shell.sections.${section}`) };
  return {
    title,
    parent,
    content: html`${banner}<section class="panel"><p>${lead}</p>
${copyField("secret", text("settings.words.shownOnce"), secret, language)}
${further}<p class="more">${link(parent.path, parent.title, "button")}</p></section>`,
  };
}
