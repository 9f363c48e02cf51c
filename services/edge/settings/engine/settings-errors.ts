import type { ErrorCode } from "#shared/errors/error-codes.ts";
import type { EdgeContext, EdgeMiddleware, EdgeState } from "../../http/edge-context.ts";
import { sendFailure } from "../../http/errors.ts";
import type { PageFiles } from "../../pages/page-assets.ts";
import { problemKindOf, problemKinds } from "../../pages/page-errors.ts";
import { htmlType } from "../../pages/page-headers.ts";
import { problemPages } from "../../pages/problem-pages.ts";
import type { TextSigner } from "../../sealing/text-signer.ts";
import { problemView, type SettingsProblem } from "../shell/shell.ts";
import { entriesCharactersMax, type KeptForms } from "./kept-forms.ts";
import { unsentForm } from "./serve-page.ts";
import { settingsLanguage } from "./visits.ts";

const kinds: Readonly<Partial<Record<ErrorCode, SettingsProblem>>> = {
  ...problemKinds,
  unauthorized: "signedOut",
  failed_precondition: "invalid",
  conflict: "invalid",
};

/** The kinds of page that answer a form which, as it was sent this time, has changed nothing. */
const unchangedKinds: Readonly<Partial<Record<ErrorCode, SettingsProblem>>> = {
  rate_limited: "limitedUnchanged",
  unavailable: "unchanged",
};

/** Several times the number of fields of any form of the settings. Each entry adds markup to the page. */
const entriesMax = 100;

/** Returns the kind of page for a form that makes its change once, even if it is sent again as it is. */
function kindWithForm(code: ErrorCode, { change }: EdgeState): SettingsProblem | undefined {
  if (change !== "repeatable" && change !== "none_repeatable") return undefined;
  if (code === "rate_limited") return "limitedWithForm";
  if (code !== "unavailable") return undefined;
  return change === "repeatable" ? "unavailableWithForm" : "unchangedWithForm";
}

interface SettingsErrorsDeps {
  readonly assets: PageFiles;
  readonly kept: KeptForms;
  readonly protection: TextSigner;
  /** Where merchants who are not signed in can open the settings; undefined if unknown. */
  readonly signInUrl: string | undefined;
}

/**
 * Converts every thrown error into an error page. The page for an overload or an outage contains the form that it
 * answers, with a button to send it again. If that could make the change twice, the page asks to check whether it has
 * been made: even if no call that could make it was sent, because another replica may have carried the form out before.
 * Showing the form's own page would take calls and rendering, of which there are too many already.
 */
export function settingsErrors({ assets, kept, protection, signInUrl }: SettingsErrorsDeps): EdgeMiddleware {
  const frame = { assets, signInUrl };
  const render = problemPages<SettingsProblem>((...page) => problemView(frame, ...page));
  const kindOf = (ctx: EdgeContext, code: ErrorCode): SettingsProblem => {
    if (code === "unauthorized" && kept.isResumable(ctx)) return "signedOutKept";
    // Without a form, the registry refuses what the URL names, such as a position in a list.
    if (code === "bad_request" && ctx.method !== "POST") return "notFound";
    const { change } = ctx.state;
    if (change === "uncertain" && (code === "unavailable" || code === "rate_limited")) return "uncertain";
    const isUnchanged = change === "none" || change === "none_repeatable";
    return (isUnchanged ? unchangedKinds[code] : undefined) ?? problemKindOf(kinds, code, ctx);
  };
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const code = sendFailure(ctx, thrown);
      ctx.remove("WWW-Authenticate");
      ctx.set("Content-Type", htmlType);
      const language = settingsLanguage(ctx);
      const again = kindWithForm(code, ctx.state);
      const sent = again && (await boundedForm(ctx, protection));
      if (again !== undefined && sent !== undefined) {
        ctx.body = String(problemView(frame, language, again, new URLSearchParams(), sent));
        return;
      }
      ctx.body = render(language, kindOf(ctx, code), ctx.state.target.rawQuery);
    }
  };
}

/** Returns the form that a merchant has sent, unless rendering its entries would be dear. */
async function boundedForm(ctx: EdgeContext, protection: TextSigner): Promise<URLSearchParams | undefined> {
  const sent = await unsentForm(ctx, protection);
  if (sent === undefined || sent.size > entriesMax) return undefined;
  return String(sent).length <= entriesCharactersMax ? sent : undefined;
}
