import { Readable } from "node:stream";
import { badRequest, reasonOf, ServiceError } from "#shared/errors/service-error.ts";
import { reasonText } from "#shared/reasons/reason-text.ts";
import type { Language } from "#shared/texts/languages.ts";
import { textsFor } from "#shared/texts/texts.ts";
import type { EdgeContext, EdgeMiddleware } from "../../http/edge-context.ts";
import type { Route } from "../../http/route.ts";
import type { PageAssets } from "../../pages/page-assets.ts";
import { htmlType } from "../../pages/page-headers.ts";
import { isSameOrigin } from "../../pages/same-origin.ts";
import {
  type FormMistake,
  FormRefusal,
  type Outcome,
  type SentForm,
  type SettingsPage,
  settingsPath,
  type View,
  type Visit,
} from "../model/settings-page.ts";
import { renderShell } from "../shell/shell.ts";
import type { ChangeQuota } from "./change-quota.ts";
import type { FormProtection } from "./form-protection.ts";
import type { RepeatedForms } from "./repeated-forms.ts";
import { sessionTokenOf } from "./session-cookie.ts";
import type { Visits } from "./visits.ts";

interface ServePageDeps {
  readonly assets: PageAssets;
  readonly visits: Visits;
  readonly protection: FormProtection;
  readonly repeated: RepeatedForms;
  readonly quota: ChangeQuota;
}

/** Builds the route of a settings page. */
export function pageRoute(page: SettingsPage, deps: ServePageDeps): Route {
  const { assets, visits, protection, repeated, quota } = deps;
  const { show, document, download, actions = {}, uploads = {} } = page;

  const send = (ctx: EdgeContext, visit: Visit, view: View, status = 200) => {
    ctx.status = status;
    ctx.type = htmlType;
    ctx.body = String(renderShell(assets.settings, visit, page.section, view));
  };

  const get: EdgeMiddleware = async (ctx) => {
    const visit = await visits.open(ctx);
    if (document !== undefined) {
      ctx.type = htmlType;
      ctx.body = String(await document(visit, assets));
      return;
    }
    if (download === undefined) return send(ctx, visit, await shown(visit));
    const { fileName, contentType, content } = await download(visit);
    ctx.type = contentType;
    ctx.attachment(fileName);
    // The stream and several middlewares add listeners to the response; with more than ten, Node.js warns of a leak.
    ctx.res.setMaxListeners(20);
    ctx.body = Readable.from(content);
  };

  const post: EdgeMiddleware = async (ctx) => {
    const visit = await visits.open(ctx);
    const entries = await protectedForm(ctx, protection);
    const name = entries.get("action") ?? "";
    const file = await ctx.state.upload;
    const upload = ownEntry(uploads, name);
    const action =
      file === undefined
        ? ownEntry(actions, name)
        : upload && ((visited: Visit, form: SentForm) => upload(visited, form, file));
    if (action === undefined) throw badRequest("action", "is unknown");
    quota.take(visit.session.shop);
    let outcome: Outcome;
    try {
      outcome = await runOnce(ctx, entries, () => action(visit, sentForm(entries)));
    } catch (error) {
      const mistakes = formMistakes(error, textsFor(visit.language)("settings.shell.refused"), visit.language);
      if (mistakes === undefined) throw error;
      const scope = entries.get("scope") ?? "";
      const again = {
        ...visit,
        refused: { action: name, scope, entries, mistakes, labels: new Map<string, string>() },
      };
      return send(ctx, again, await shown(again), 422);
    }
    if ("text" in outcome) {
      ctx.type = "text/plain; charset=utf-8";
      ctx.body = outcome.text;
      return;
    }
    if ("view" in outcome) return send(ctx, visit, outcome.view);
    ctx.status = 303;
    ctx.set("Location", `${settingsPath}${outcome.path}`);
  };

  function runOnce(ctx: EdgeContext, entries: URLSearchParams, run: () => Promise<Outcome>): Promise<Outcome> {
    // Uploads need no deduplication: a browser that sends a file again aborts the first request.
    if (ctx.state.upload !== undefined || !entries.get("nonce")) return run();
    return repeated.once(sessionTokenOf(ctx), `${ctx.state.target.path}\n${entries}`, run);
  }

  async function shown(visit: Visit): Promise<View> {
    if (show === undefined) throw new ServiceError("not_found", "The page has no content to show.");
    return show(visit);
  }

  return { path: settingsPath + page.path, get: [get], ...((page.actions ?? page.uploads) && { post: [post] }) };
}

function ownEntry<T>(entries: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}

/**
 * Returns the entries of a form.
 *
 * @throws ServiceError `bad_request` unless the form was served in the session and sent from the same origin
 */
export async function protectedForm(ctx: EdgeContext, protection: FormProtection): Promise<URLSearchParams> {
  const { form } = ctx.state;
  if (form === undefined || !isSameOrigin(ctx.headers))
    throw badRequest("form", "is missing, or was sent from another origin");
  const entries = await form;
  if (!protection.accepts(sessionTokenOf(ctx), entries.get("token") ?? ""))
    throw badRequest("form", "was not served in this session; reload the page and send the form again");
  return entries;
}

// Codes of the errors that the merchant can resolve by changing the form or sending it again later.
const refusals: readonly string[] = ["bad_request", "failed_precondition", "conflict", "rate_limited"];

/**
 * Converts the error of an action to the errors that its form shows; returns undefined for an error that the merchant
 * cannot resolve by changing the form or sending it again later.
 *
 * @param refused the text that introduces the registry's reason
 */
function formMistakes(error: unknown, refused: string, language: Language): readonly FormMistake[] | undefined {
  if (error instanceof FormRefusal) return error.mistakes;
  if (!(error instanceof ServiceError) || !refusals.includes(error.code)) return undefined;
  return [{ field: "", text: `${refused} ${reasonText(reasonOf(error), language)}` }];
}

/** Wraps the entries of a form. The registry validates the nonce, like every idempotency key. */
function sentForm(entries: URLSearchParams): SentForm {
  const text = (name: string) => (entries.get(name) ?? "").toWellFormed().trim();
  return { text, has: (name) => entries.has(name), nonce: text("nonce") };
}
