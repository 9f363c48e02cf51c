import type { Logo } from "#gen/registry/v1/logo_pb.js";
import { textsFor } from "#shared/texts/texts.ts";
import { type Html, html } from "../../pages/html.ts";
import { panel } from "../components/content.ts";
import { SettingsForm } from "../components/form.ts";
import { uploadedImage } from "../components/uploaded-image.ts";
import type { SettingsPage, Visit } from "../model/settings-page.ts";

/** Maximum size of an uploaded logo, in bytes. */
export const logoFileBytesMax = 5 * 1_024 * 1_024;

// A verification page must load less than 60 kB. Pages show a logo at half its width, so that it is sharp on dense
// screens.
const target = {
  bytesMax: 12 * 1_024,
  forms: [
    { width: 480, height: 176, quality: 86 },
    { width: 480, height: 176, quality: 60 },
    { width: 320, height: 120, quality: 60 },
    { width: 200, height: 80, quality: 50 },
  ],
};
const field = "logo";
const saved = { path: "/store?done=saved" } as const;

/** Handles the form that sets the logo. */
export const logoUploads: NonNullable<SettingsPage["uploads"]> = {
  async setLogo(visit, _form, file) {
    const tooLarge = "settings.logo.problems.size";
    const logo = await uploadedImage(visit, file, { field, fileBytesMax: logoFileBytesMax, target, tooLarge });
    await visit.registry.stores.setLogo(logo);
    return saved;
  },
};

/** Handles the form that removes the logo. */
export const logoActions: NonNullable<SettingsPage["actions"]> = {
  async removeLogo(visit) {
    await visit.registry.stores.setLogo({});
    return saved;
  },
};

/** Renders the logo and its forms. */
export function logoPanel(visit: Visit, logo: Logo | undefined): Html {
  const text = textsFor(visit.language);
  const set = new SettingsForm(visit, "setLogo");
  const input = set.file({ name: field, label: text("settings.logo.file"), accept: "image/png,image/jpeg,image/webp" });
  const shown =
    logo &&
    html`<p><img class="logo" src="/verify/logos/${logo.id}" width="${Math.ceil(logo.width / 2)}" height="${Math.ceil(logo.height / 2)}" alt="${text("settings.logo.current")}"></p>
${new SettingsForm(visit, "removeLogo").frame("", { submit: text("settings.logo.remove"), kind: "quiet" })}`;
  return panel(
    text("settings.logo.logo"),
    html`${shown}
${set.frame(input, { submit: text("settings.logo.save"), hasFile: true })}`,
    text("settings.logo.logoLead"),
  );
}
