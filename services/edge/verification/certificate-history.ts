import type { Language } from "#shared/texts/languages.ts";
import { textsFor } from "#shared/texts/texts.ts";
import { formatDate } from "../pages/format.ts";
import { type Html, html } from "../pages/html.ts";
import type { VerificationPage } from "../registry-client/verification-page.ts";

/** Renders what happened to a certificate, oldest first; nothing for one that was only issued. */
export function certificateHistory(page: VerificationPage, language: Language): Html | false {
  const { changes, state, issuedAt, expiresAt } = page;
  const text = textsFor(language);
  const entries = [
    { kind: "issued" as const, at: issuedAt },
    ...changes,
    ...(state === "expired" && expiresAt !== undefined ? [{ kind: "expired" as const, at: expiresAt }] : []),
  ];
  if (entries.length === 1) return false;
  return html`<section class="history" aria-labelledby="history">
<h2 id="history">${text("pages.history.title")}</h2>
<ol>${entries.map(({ kind, at }) => html`<li>${text(`pages.history.${kind}`, { date: formatDate(at, language) })}</li>\n`)}</ol>
</section>`;
}
