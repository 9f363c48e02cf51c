import type { Logo } from "#gen/registry/v1/logo_pb.js";
import { readUpload } from "../../pages/collect-uploads.ts";
import { type Html, html } from "../../pages/html.ts";
import { panel } from "../components/content.ts";
import { SettingsForm } from "../components/form.ts";
import { FormRefusal, type SettingsPage, type Visit } from "../model/settings-page.ts";
import { encodeLogo, logoFileBytesMax } from "./encode-logo.ts";
import { texts } from "./texts.ts";

const field = "logo";
const saved = { path: "/store?done=saved" } as const;

/** Handles the form that sets the logo. */
export const logoUploads: NonNullable<SettingsPage["uploads"]> = {
  async setLogo(visit, _form, file) {
    const image = await readUpload(file, logoFileBytesMax);
    const logo = image === undefined ? "size" : await encodeLogo(image);
    if (typeof logo !== "object")
      throw new FormRefusal([{ field, text: texts[visit.language].problems[logo ?? "busy"] }]);
    await visit.registry.store.setLogo(logo);
    return saved;
  },
};

/** Handles the form that removes the logo. */
export const logoActions: NonNullable<SettingsPage["actions"]> = {
  async removeLogo(visit) {
    await visit.registry.store.setLogo({});
    return saved;
  },
};

/** Renders the logo and its forms. */
export function logoPanel(visit: Visit, logo: Logo | undefined): Html {
  const text = texts[visit.language];
  const set = new SettingsForm(visit, "setLogo");
  const input = set.file({ name: field, label: text.file, accept: "image/png,image/jpeg,image/webp" });
  const shown =
    logo &&
    html`<p><img class="logo" src="/verify/logos/${logo.id}" width="${Math.ceil(logo.width / 2)}" height="${Math.ceil(logo.height / 2)}" alt="${text.current}"></p>
${new SettingsForm(visit, "removeLogo").frame("", { submit: text.remove, kind: "quiet" })}`;
  return panel(
    text.logo,
    html`${shown}
${set.frame(input, { submit: text.save, hasFile: true })}`,
    text.logoLead,
  );
}
