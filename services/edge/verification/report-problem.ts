import type { Registry } from "prom-client";
import { ReportKind } from "#gen/registry/v1/verification_service_pb.js";
import { namedValues } from "#shared/enums/named-values.ts";
import { isUnavailable, ServiceError } from "#shared/errors/service-error.ts";
import type { TokenBuckets } from "#shared/limits/token-buckets.ts";
import { createLabelledCounter } from "#shared/observe/labelled-counter.ts";
import type { Language } from "#shared/texts/languages.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { EdgeContext, EdgeMiddleware } from "../http/edge-context.ts";
import { seeOther } from "../http/see-other.ts";
import { chosenLanguage } from "../pages/choose-language.ts";
import { supportedLanguage } from "../pages/languages.ts";
import type { PageAssets } from "../pages/page-assets.ts";
import { sendProblemPage } from "../pages/page-errors.ts";
import { htmlType } from "../pages/page-headers.ts";
import { inventedReference, isReportReference, reportReference } from "../pages/report-reference.ts";
import { sameOriginForm } from "../pages/same-origin.ts";
import type { VerificationClient } from "../registry-client/verification-client.ts";
import type { FormTokenCheck, FormTokens } from "./form-token.ts";
import { unknownLink } from "./look-ups.ts";
import type { PageCache } from "./page-cache.ts";
import { linkTokenOf } from "./page-request.ts";
import { isPreview, pageQuery } from "./preview.ts";
import { entriesOf, mistakesIn, noEntries, type ReportEntries, type ReportMistake } from "./report-form.ts";
import { reportFormView, reportThanksView, reportUnconfirmedView, sentParameter } from "./report-view.ts";

interface ReportDeps {
  readonly assets: PageAssets;
  readonly pages: Pick<PageCache, "find">;
  readonly registry: Pick<VerificationClient, "reportProblem">;
  readonly tokens: FormTokens;
  /** Limits how many reports a client may send. */
  readonly reportLimits: Pick<TokenBuckets, "take" | "giveBack">;
  /** Wall clock. */
  readonly clock: Clock;
  readonly metrics: Registry;
}

const kinds = namedValues(ReportKind);

// The registry limits the reports about a certificate in any 24 hours, so it accepts another after at most a day.
const daySeconds = 86_400;

const outcomes = ["accepted", "mistake", "refused_form", "robot", "limited", "changed"] as const;

/** The status of the response to a refused form; 422 for all other mistakes. */
const statuses: Readonly<Partial<Record<ReportMistake, number>>> = { limitReached: 429, alreadySent: 409 };

type Sent =
  | { readonly reference: string }
  | { readonly refusal: "limitReached" | "alreadySent"; readonly waitSeconds: number };

type Checked =
  | { readonly nonce: string }
  | { readonly outcome: "mistake" | "refused_form"; readonly mistakes: readonly ReportMistake[] };

/** Decides whether a form may be sent to the registry. Its mistakes are shown even if its token is refused. */
function checkForm(entries: ReportEntries, token: FormTokenCheck): Checked {
  const mistakes = mistakesIn(entries);
  if (mistakes.length > 0) return { outcome: "mistake", mistakes };
  if (token.state === "valid") return { nonce: token.nonce };
  return { outcome: "refused_form", mistakes: [token.state === "early" ? "sentTooSoon" : "formExpired"] };
}

/** Creates the handlers of the form for reporting a problem: `show` for GET, `submit` for POST. */
export function reportProblem(deps: ReportDeps): { readonly show: EdgeMiddleware; readonly submit: EdgeMiddleware } {
  const { assets, pages, registry, tokens, reportLimits, clock, metrics } = deps;
  const count = createLabelledCounter(metrics, {
    name: "edge_reports_total",
    help: "Problem reports sent from verification pages, by outcome.",
    label: "outcome",
    values: outcomes,
  });

  async function pageOf(ctx: EdgeContext) {
    const linkToken = linkTokenOf(ctx);
    const { state, storeName, language: stored } = await pages.find(linkToken, ctx.state.client.networks);
    if (state === "sample") throw unknownLink();
    const language: Language = chosenLanguage(ctx) ?? supportedLanguage(stored) ?? "en";
    return { assets, language, linkToken, storeName, query: pageQuery(language, isPreview(ctx)) };
  }

  type Page = Awaited<ReturnType<typeof pageOf>>;

  /**
   * Renders the form with entries. A refused form keeps its token, so that it can be sent again at once: the two
   * seconds count from when the form was first opened. An empty token is replaced by a new one.
   */
  function sendForm(ctx: EdgeContext, page: Page, entries: ReportEntries, mistakes: readonly ReportMistake[]): void {
    const token = entries.token || tokens.create(page.linkToken, clock.now());
    // Each form has a token of its own, so caches must not store the page.
    ctx.set({ "Content-Type": htmlType, "Cache-Control": "no-store" });
    ctx.body = String(reportFormView({ ...page, entries, mistakes, token }));
  }

  function refuse(ctx: EdgeContext, page: Page, entries: ReportEntries, mistakes: readonly ReportMistake[]): void {
    const [first] = mistakes;
    ctx.status = (first && statuses[first]) ?? 422;
    sendForm(ctx, page, entries, mistakes);
  }

  const show: EdgeMiddleware = async (ctx) => {
    const page = await pageOf(ctx);
    const sent = new URLSearchParams(ctx.state.target.rawQuery).get(sentParameter);
    if (sent === null) return sendForm(ctx, page, noEntries, []);
    ctx.set("Content-Type", htmlType);
    // Anybody can write a link to this page, so it shows nothing but a reference number.
    ctx.body = String(reportThanksView(page, isReportReference(sent) ? sent : ""));
  };

  /**
   * @throws ServiceError `bad_request` for a form that is missing, from another site, too large, too slow or
   *   incomplete; `unavailable` for one for which there was no memory
   */
  async function formIn(ctx: EdgeContext) {
    const entries = entriesOf(await sameOriginForm(ctx));
    return { entries, token: tokens.check(linkTokenOf(ctx), entries.token, clock.now()) };
  }

  const submit: EdgeMiddleware = async (ctx) => {
    try {
      await receive(ctx);
    } catch (error) {
      const form = isUnavailable(error) ? await formIn(ctx).catch(() => undefined) : undefined;
      // Only what a visitor has sent from the page is kept.
      if (form === undefined || form.entries.trap !== "" || form.token.state === "refused") throw error;
      sendProblemPage(ctx, error, (language) => String(reportUnconfirmedView(assets, language, form.entries)));
    }
  };

  async function receive(ctx: EdgeContext): Promise<void> {
    const page = await pageOf(ctx);
    const { entries, token } = await formIn(ctx).catch((error: unknown) => {
      if (!isUnavailable(error)) count("refused_form");
      throw error;
    });
    const thank = (reference: string) => {
      seeOther(ctx, `report?${sentParameter}=${reference}&${page.query}`);
    };
    // Robots get the response for an accepted report, so that they cannot detect the honeypot.
    if (entries.trap !== "") {
      count("robot");
      return thank(inventedReference());
    }
    const renewed: ReportEntries = { ...entries, token: "" };
    const checked = checkForm(entries, token);
    if ("mistakes" in checked) {
      count(checked.outcome);
      return refuse(ctx, page, token.state === "refused" ? renewed : entries, checked.mistakes);
    }
    const waitSeconds = reportLimits.take(ctx.state.client.networks);
    const outcome: Sent =
      waitSeconds > 0 ? { refusal: "limitReached", waitSeconds } : await send(ctx, page, entries, checked.nonce);
    if ("reference" in outcome) {
      count("accepted");
      return thank(outcome.reference);
    }
    count(outcome.refusal === "limitReached" ? "limited" : "changed");
    if (outcome.waitSeconds > 0) ctx.set("Retry-After", String(Math.ceil(outcome.waitSeconds)));
    return refuse(ctx, page, renewed, [outcome.refusal]);
  }

  /** Sends a report to the registry. A refused report does not count against the client's limit. */
  async function send(ctx: EdgeContext, page: Page, entries: ReportEntries, nonce: string): Promise<Sent> {
    try {
      const reportId = await registry.reportProblem({
        linkToken: page.linkToken,
        kind: kinds[entries.kind ?? "other"],
        content: entries.content,
        reporterEmail: entries.email,
        idempotencyKey: nonce,
      });
      return { reference: reportReference(reportId) };
    } catch (error) {
      reportLimits.giveBack(ctx.state.client.networks);
      const code = error instanceof ServiceError ? error.code : "internal";
      if (code === "rate_limited") return { refusal: "limitReached", waitSeconds: daySeconds };
      // A form that was sent, then changed with the browser's "Back" and sent again. The new form has a new nonce.
      if (code === "conflict") return { refusal: "alreadySent", waitSeconds: 0 };
      throw error;
    }
  }

  return { show, submit };
}
