import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { IssueOutcome, type IssueResult } from "#gen/registry/v1/issuing_service_pb.js";
import { emailCharactersMax } from "#shared/email/email-address.ts";
import { badRequest } from "#shared/errors/service-error.ts";
import { reason } from "#shared/reasons/reason.ts";
import { receivedReason } from "#shared/rpc/reason-messages.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import { dayMs } from "#shared/time/day.ts";
import { html } from "../../pages/html.ts";
import { SettingsForm } from "../components/form.ts";
import { requireEntries } from "../components/required-entries.ts";
import { type FormMistake, FormRefusal, type SettingsPage, type Visit } from "../model/settings-page.ts";
import { startOfDay } from "../model/start-of-day.ts";

/** Issues a certificate by hand. */
export const issuePage: SettingsPage = {
  path: "/certificates/issue",
  section: "certificates",
  async show(visit) {
    const { text } = visit;
    const form = new SettingsForm(visit, "issue");
    return {
      title: text("settings.certificates.issue"),
      parent: { path: "/certificates", title: text("settings.shell.sections.certificates") },
      content: html`<section class="panel">${form.frame(
        html`${form.text({ name: "title", label: text("settings.certificates.product"), charactersMax: textLimits.productTitle.max, isRequired: true })}
${form.text({ name: "variant", label: text("settings.certificates.variant"), charactersMax: textLimits.productVariant.max })}
${form.text({ name: "sku", label: text("settings.certificates.sku"), charactersMax: textLimits.sku.max })}
${form.text({ name: "buyer", label: text("settings.certificates.buyer"), charactersMax: textLimits.personName.max, isRequired: true })}
${form.text({ name: "email", label: text("settings.certificates.buyerEmail"), type: "email", charactersMax: emailCharactersMax, isRequired: true })}
${form.text({ name: "until", label: text("settings.certificates.validUntil"), hint: text("settings.certificates.validUntilHint"), type: "date" })}`,
        { submit: text("settings.certificates.issue") },
      )}</section>`,
    };
  },
  fields: {
    "product.title": "title",
    "product.variant": "variant",
    "product.sku": "sku",
    "buyer.name": "buyer",
    "buyer.email": "email",
    expires_at: "until",
  },
  keyedActions: {
    async issue(visit, form) {
      const expiresAt = endOfDay(form.text("until"));
      const fields = { required: ["title", "buyer", "email"], email: "email" };
      requireEntries(visit, form, fields, mistakesIn(visit, expiresAt));
      const item = {
        product: { title: form.text("title"), variant: form.text("variant"), sku: form.text("sku") },
        buyer: { name: form.text("buyer"), email: form.text("email") },
        ...(expiresAt && { expiresAt: timestampFromDate(expiresAt) }),
      };
      const request = { items: [item], idempotencyKey: form.nonce };
      const { results } = await visit.registry.issuing.issueCertificates(request);
      return { path: `/certificates/${issuedId(visit, results[0])}?done=issued` };
    },
  },
};

/** Returns the end of a day in UTC; undefined for an empty string, and an `Invalid Date` if there is no such day. */
function endOfDay(text: string): Date | undefined {
  if (text === "") return undefined;
  const start = startOfDay(text);
  return new Date(start === undefined ? Number.NaN : start.getTime() + dayMs - 1);
}

function mistakesIn({ text, now }: Visit, expiresAt: Date | undefined): FormMistake[] {
  if (expiresAt === undefined || expiresAt > now) return [];
  return [{ field: "until", text: text("settings.certificates.dateNotFuture") }];
}

function issuedId({ text }: Visit, result: IssueResult | undefined): string {
  if (result?.outcome === IssueOutcome.SOLD_OUT)
    throw new FormRefusal([{ field: "sku", text: text("settings.certificates.soldOut") }]);
  if (result === undefined || result.certificateId === "")
    throw badRequest(result?.field ?? "", receivedReason(result?.reason) ?? reason("issue_refused"));
  return result.certificateId;
}
