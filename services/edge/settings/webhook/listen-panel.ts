import type { ListenToken } from "#gen/registry/v1/store_admin_service_pb.js";
import { listenSecretOf, listenTokenPrefix } from "#shared/keys/listen-token.ts";
import { type Html, html, isolated } from "../../pages/html.ts";
import { code, copyField, docsLink, moment, panel, rowList } from "../components/content.ts";
import { SettingsForm } from "../components/form.ts";
import { secretView } from "../components/secret-view.ts";
import type { SettingsPage, View, Visit } from "../model/settings-page.ts";

/** The part of the quick start about webhook messages. */
export const receivingSection = "4-receive-a-webhook-message";

/** The actions that create and revoke listen tokens. */
export const listenActions: NonNullable<SettingsPage["actions"]> = {
  async createToken({ registry }) {
    const { token } = await registry.stores.createListenToken({});
    return { secret: token };
  },
  async revokeToken({ registry }, form) {
    await registry.stores.revokeListenToken({ tokenId: form.text("listenToken") });
    return { path: "/webhook?done=unlistened" };
  },
};

export function isListenToken(secret: string): boolean {
  return secret.startsWith(listenTokenPrefix);
}

export function listenTokenView(visit: Visit, token: string): View {
  const signingSecret = visit.text("settings.webhook.listen.secret");
  return secretView(visit, token, {
    section: "webhook",
    title: visit.text("settings.webhook.listen.newToken"),
    lead: visit.text("settings.webhook.listen.use"),
    further: html`${copyField("signing-secret", signingSecret, listenSecretOf(token), visit.language)}
${docsLink(visit.language, receivingSection)}`,
  });
}

/** Renders the valid listen tokens, and the forms that create and revoke them. */
export async function listenPanel(visit: Visit): Promise<Html> {
  const { text } = visit;
  const { tokens } = await visit.registry.stores.listListenTokens({});
  const form = new SettingsForm(visit, "createToken");
  return panel(
    text("settings.webhook.listen.title"),
    html`${rowList(
      tokens.map((token) => row(visit, token)),
      text("settings.webhook.listen.empty"),
    )}${form.frame("", { submit: text("settings.webhook.listen.create"), kind: "quiet" })}
${docsLink(visit.language, receivingSection)}`,
    text("settings.webhook.listen.lead"),
  );
}

function row(visit: Visit, { tokenId, prefix, createdAt, expiresAt, createdBy }: ListenToken) {
  const { language, text } = visit;
  const form = new SettingsForm(visit, "revokeToken", tokenId);
  const fields = html`<p class="hint">${text("settings.webhook.listen.revokeLead")}</p>${form.hidden("listenToken", tokenId)}`;
  return {
    title: code(`${prefix}…`),
    details: [
      isolated(createdBy),
      html`${text("settings.keys.created")} ${moment(createdAt, language)}`,
      html`${text("settings.keys.validUntil")} ${moment(expiresAt, language)}`,
    ],
    more: form.disclosed(fields, { submit: text("settings.webhook.listen.revoke"), kind: "danger" }),
  };
}
