import type { ImageReference } from "#shared/images/image.ts";
import type { Html } from "../../pages/html.ts";
import { imagePanel } from "../components/image-panel.ts";
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

export function logoPanel(visit: Visit, logo: ImageReference | undefined): Html {
  const { text } = visit;
  return imagePanel(visit, {
    title: text("settings.logo.logo"),
    lead: text("settings.logo.logoLead"),
    image: logo,
    alt: text("settings.logo.current"),
    kind: "logo",
    set: { action: "setLogo", field, label: text("settings.logo.file"), submit: text("settings.logo.save") },
    remove: { action: "removeLogo", submit: text("settings.logo.remove") },
  });
}
