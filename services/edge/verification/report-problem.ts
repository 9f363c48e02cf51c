import type { Registry } from "prom-client";
import { ReportKind as Kind } from "#gen/registry/v1/verification_service_pb.js";
import { badRequest, ServiceError } from "#shared/errors/service-error.ts";
import { createLabelledCounter } from "#shared/observe/labelled-counter.ts";
import type { Language } from "#shared/texts/languages.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { EdgeContext, EdgeMiddleware } from "../http/edge-context.ts";
import type { NetworkBuckets } from "../limits/network-buckets.ts";
import { chosenLanguage } from "../pages/choose-language.ts";
import { supportedLanguage } from "../pages/languages.ts";
import type { PageAssets } from "../pages/page-assets.ts";
import { htmlType } from "../pages/page-headers.ts";
import { isSameOrigin } from "../pages/same-origin.ts";
import type { VerificationClient } from "../registry-client/verification-client.ts";
import type { FormTokens } from "./form-token.ts";
import { type PageCache, unknownLink } from "./page-cache.ts";
import { linkTokenOf, networksOf } from "./page-request.ts";
import { isPreview, pageQuery } from "./preview.ts";
import {
  entriesOf,
  mistakesIn,
  noEntries,
  type ReportEntries,
  type ReportKind,
  type ReportMistake,
} from "./report-form.ts";
import { reportFormView, reportThanksView, sentParameter } from "./report-view.ts";

interface ReportDeps {
  readonly assets: PageAssets;
  readonly pages: Pick<PageCache, "find">;
  readonly registry: Pick<VerificationClient, "reportProblem">;
  readonly tokens: FormTokens;
  /** Limits how many reports a client may send. */
  readonly reportLimits: Pick<NetworkBuckets, "take" | "giveBack">;
  /** Wall clock. */
  readonly clock: Clock;
  readonly metrics: Registry;
}

const kinds: Readonly<Record<ReportKind, Kind>> = {
  counterfeit: Kind.COUNTERFEIT,
  mismatch: Kind.MISMATCH,
  stolen: Kind.STOLEN,
  wrong_details: Kind.WRONG_DETAILS,
  other: Kind.OTHER,
};

// The registry limits the reports about a certificate in any 24 hours, so it accepts another after at most a day.
const daySeconds = 86_400;

const outcomes = ["accepted", "mistake", "refused_form", "robot", "limited", "changed"] as const;

/** The status of the response to a refused form; 422 for all other mistakes. */
const statuses: Readonly<Partial<Record<ReportMistake, number>>> = { limitReached: 429, alreadySent: 409 };

type Sent = "accepted" | { readonly refusal: "limitReached" | "alreadySent"; readonly waitSeconds: number };

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
    const { state, storeName, language: stored } = await pages.find(linkToken, networksOf(ctx));
    if (state === "sample") throw unknownLink();
    const language: Language = chosenLanguage(ctx) ?? supportedLanguage(stored) ?? "en";
    return { assets, language, linkToken, storeName, query: pageQuery(language, isPreview(ctx)) };
  }

  type Page = Awaited<ReturnType<typeof pageOf>>;

  function sendForm(ctx: EdgeContext, page: Page, entries: ReportEntries, mistakes: readonly ReportMistake[]): void {
    const token = tokens.create(page.linkToken, clock.now());
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
    const isSent = new URLSearchParams(ctx.state.target.rawQuery).has(sentParameter);
    if (!isSent) return sendForm(ctx, page, noEntries, []);
    ctx.set("Content-Type", htmlType);
    ctx.body = String(reportThanksView(page));
  };

  /** @throws ServiceError `bad_request` for a form that is too large or was not received in full */
  async function completeForm(form: Promise<URLSearchParams>): Promise<URLSearchParams> {
    try {
      return await form;
    } catch (error) {
      count("refused_form");
      throw error;
    }
  }

  const submit: EdgeMiddleware = async (ctx) => {
    const page = await pageOf(ctx);
    if (ctx.state.form === undefined || !isSameOrigin(ctx.headers)) {
      count("refused_form");
      throw badRequest("form", "is missing, or was sent from another origin");
    }
    const entries = entriesOf(await completeForm(ctx.state.form));
    const thanks = () => {
      ctx.status = 303;
      ctx.set("Location", `report?${sentParameter}&${page.query}`);
    };
    // Robots get the response for an accepted report, so that they cannot detect the honeypot.
    if (entries.trap !== "") {
      count("robot");
      return thanks();
    }
    const mistakes = mistakesIn(entries);
    if (mistakes.length > 0) {
      count("mistake");
      return refuse(ctx, page, entries, mistakes);
    }
    const token = tokens.check(page.linkToken, entries.token, clock.now());
    if (!token.isValid) {
      count("refused_form");
      return refuse(ctx, page, entries, ["formExpired"]);
    }
    const waitSeconds = reportLimits.take(networksOf(ctx));
    const outcome: Sent =
      waitSeconds > 0 ? { refusal: "limitReached", waitSeconds } : await send(ctx, page, entries, token.nonce);
    if (outcome === "accepted") {
      count("accepted");
      return thanks();
    }
    count(outcome.refusal === "limitReached" ? "limited" : "changed");
    if (outcome.waitSeconds > 0) ctx.set("Retry-After", String(Math.ceil(outcome.waitSeconds)));
    return refuse(ctx, page, entries, [outcome.refusal]);
  };

  /** Sends a report to the registry. A refused report does not count against the client's limit. */
  async function send(ctx: EdgeContext, page: Page, entries: ReportEntries, nonce: string): Promise<Sent> {
    try {
      await registry.reportProblem({
        linkToken: page.linkToken,
        kind: kinds[entries.kind ?? "other"],
        content: entries.content,
        reporterEmail: entries.email,
        idempotencyKey: nonce,
      });
      return "accepted";
    } catch (error) {
      reportLimits.giveBack(networksOf(ctx));
      const code = error instanceof ServiceError ? error.code : "internal";
      if (code === "rate_limited") return { refusal: "limitReached", waitSeconds: daySeconds };
      // A form that was sent, then changed with the browser's "Back" and sent again. The new form has a new nonce.
      if (code === "conflict") return { refusal: "alreadySent", waitSeconds: 0 };
      throw error;
    }
  }

  return { show, submit };
}
