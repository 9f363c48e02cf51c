import type { ImageReference } from "#shared/images/image.ts";
import { type Html, html } from "../../pages/html.ts";
import type { Visit } from "../model/settings-page.ts";
import { panel } from "./content.ts";
import { SettingsForm } from "./form.ts";

interface ImagePanel {
  readonly title: string;
  readonly lead: string;
  /** Pages show the image at half its size, so that it is sharp on dense screens. */
  readonly image: ImageReference | undefined;
  readonly alt: string;
  /** The style of the image. */
  readonly kind: "logo" | "product";
  /** The form that sets the image: its key in the page's `uploads`, its field and its labels. */
  readonly set: { readonly action: string; readonly field: string; readonly label: string; readonly submit: string };
  /** The form that removes the image: its key in the page's `actions`, and its label. */
  readonly remove: { readonly action: string; readonly submit: string };
  /** Content below the forms, such as another way to set the image. */
  readonly more?: Html | undefined;
}

export function imagePanel(visit: Visit, { title, lead, image, alt, kind, set, remove, more }: ImagePanel): Html {
  const form = new SettingsForm(visit, set.action);
  const input = form.file({ name: set.field, label: set.label, accept: "image/png,image/jpeg,image/webp" });
  const shown =
    image &&
    html`<p><img class="${kind}" src="/verify/${kind === "logo" ? "logos" : "images"}/${image.id}" width="${Math.ceil(image.width / 2)}" height="${Math.ceil(image.height / 2)}" alt="${alt}"></p>
${new SettingsForm(visit, remove.action).frame("", { submit: remove.submit, kind: "quiet" })}`;
  const content = html`${shown}
${form.frame(input, { submit: set.submit, hasFile: true })}
${more}`;
  return panel(title, content, lead);
}
