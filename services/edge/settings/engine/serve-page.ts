import { Readable } from "node:stream";
import { badRequest, hasCode, reasonOf, ServiceError } from "#shared/errors/service-error.ts";
import { reasonText } from "#shared/reasons/reason-text.ts";
import type { EdgeContext, EdgeMiddleware, EdgeState } from "../../http/edge-context.ts";
import { sendFailure } from "../../http/errors.ts";
import type { Route } from "../../http/route.ts";
import { seeOther } from "../../http/see-other.ts";
import type { PageAssets } from "../../pages/page-assets.ts";
import { htmlType } from "../../pages/page-headers.ts";
import { isSameOrigin, sameOriginForm } from "../../pages/same-origin.ts";
import type { TextSigner } from "../../sealing/text-signer.ts";
import { confirmationOf, confirmedName, withoutProof } from "../components/form-entries.ts";
import {
  ConfirmationNeeded,
  type FormMistake,
  FormRefusal,
  type KeyedForm,
  type Outcome,
  type SentForm,
  type SettingsPage,
  settingsPath,
  type View,
  type Visit,
} from "../model/settings-page.ts";
import { renderShell } from "../shell/shell.ts";
import type { ChangeQuota } from "./change-quota.ts";
import type { KeptContent, KeptForms } from "./kept-forms.ts";
import type { PageQuota } from "./page-quota.ts";
import type { RepeatedForms, SessionForm } from "./repeated-forms.ts";
import { sessionTokenOf } from "./session-cookie.ts";
import type { Visits } from "./visits.ts";

interface ServePageDeps {
  readonly assets: PageAssets;
  readonly visits: Visits;
  readonly protection: TextSigner;
  readonly repeated: RepeatedForms;
  readonly kept: KeptForms;
  readonly quota: ChangeQuota;
  readonly pageQuota: PageQuota;
}

export function pageRoute(page: SettingsPage, deps: ServePageDeps): Route {
  const { assets, visits, protection, repeated, kept, quota, pageQuota } = deps;
  const { show, document, download, actions = {}, guardedActions = {}, keyedActions = {} } = page;
  const { checks = {}, uploads = {} } = page;

  const send = (ctx: EdgeContext, visit: Visit, view: View, status = 200) => {
    ctx.status = status;
    if (view.failure !== undefined) sendFailure(ctx, view.failure);
    if (view.omitted !== undefined) ctx.state.omitted = view.omitted;
    ctx.type = htmlType;
    ctx.body = String(renderShell(assets.settings, visit, page.section, view));
  };

  const get: EdgeMiddleware = async (ctx) => {
    const visit = await visits.open(ctx);
    await pageQuota.run(visit.session.shop, () => open(ctx, visit));
  };

  const open = async (ctx: EdgeContext, visit: Visit) => {
    if (document !== undefined) {
      const content = String(await document(visit, assets));
      ctx.type = htmlType;
      ctx.body = content;
      return;
    }
    if (download === undefined) {
      const content = kept.contentOf(ctx, visit.session.shop);
      const opened = withKept(visit, content);
      send(ctx, opened, await shown(opened));
      // Only now: if the page failed or was only a HEAD, it is opened again, and nothing else has the secret.
      if (content?.reason === "created" && ctx.method === "GET") kept.forget(ctx);
      return;
    }
    pageQuota.beginDownload(visit.session.shop, ctx.res);
    const { fileName, contentType, content } = await download(visit);
    ctx.type = contentType;
    ctx.attachment(fileName);
    // The stream and several middlewares add listeners to the response; with more than ten, Node.js warns of a leak.
    ctx.res.setMaxListeners(20);
    ctx.body = Readable.from(content);
  };

  const post: EdgeMiddleware = async (ctx) => {
    // Until a call that could make the change is sent. A form from another site is not one that the merchant has sent.
    if (isSameOrigin(ctx.headers)) ctx.state.change = "none";
    try {
      await act(ctx);
    } catch (error) {
      if (ctx.state.change === "none") ctx.state.change = await changeOfUnsent(ctx);
      if (!hasCode(error, "unauthorized") || !(await keepUntilSignIn(ctx, kept))) throw error;
    }
  };

  /**
   * Returns what is known of the change of a form that this request has not carried out. The same form may have been
   * sent before, such as with the first of two clicks. This replica need not know of it.
   */
  async function changeOfUnsent(ctx: EdgeContext): Promise<EdgeState["change"]> {
    const entries = await ctx.state.form?.catch(() => undefined);
    if (entries === undefined) return "none";
    const name = entries.get("action") ?? "";
    if (repeated.isBegun(sessionForm(ctx, entries))) return changeOf(name);
    return isRepeatable(name) ? "none_repeatable" : "none";
  }

  const changeOf = (name: string) => (isRepeatable(name) ? "repeatable" : "uncertain");
  const isRepeatable = (name: string) => Object.hasOwn(keyedActions, name) || Object.hasOwn(guardedActions, name);

  async function act(ctx: EdgeContext): Promise<void> {
    let change: EdgeState["change"];
    const visit = await visits.open(ctx, () => (ctx.state.change = change));
    const entries = await sameOriginForm(ctx);
    if (!isServedIn(ctx, protection, entries)) {
      // Another tab has signed in to the store since then.
      if (!isUnsentForm(ctx, entries) || entries.get("shop") !== visit.session.shop) throw notServed;
      return refuse(ctx, visit, { reason: "session_ended", entries: String(withoutProof(entries)) });
    }
    const name = entries.get("action") ?? "";
    const check = ctx.state.upload === undefined ? ownEntry(checks, name) : undefined;
    if (check !== undefined) {
      quota.take(visit.session.shop);
      ctx.type = "text/plain; charset=utf-8";
      ctx.body = await check(visit, sentForm(entries));
      return;
    }
    const action = await actionOf(ctx, name);
    quota.take(visit.session.shop);
    change = changeOf(name);
    // Unless this request carries the form out, another one, with the same form, does so.
    ctx.state.change = change;
    const carryOut = () => {
      // A repeatable change may have been made by an earlier request.
      if (change === "uncertain") ctx.state.change = "none";
      return action(visit, sentForm(entries));
    };
    const refusal = (error: unknown) => refusalOf(error, visit, withoutProof(entries));
    const hadEffect = (error: unknown) => ctx.state.change !== "none" && refusal(error) === undefined;
    try {
      conclude(ctx, visit, await runOnce(ctx, entries, carryOut, hadEffect));
    } catch (error) {
      const content = refusal(error);
      if (content === undefined) throw error;
      ctx.state.change = "none";
      await refuse(ctx, visit, content);
    }
  }

  function refusalOf(error: unknown, visit: Visit, sent: URLSearchParams): KeptContent | undefined {
    if (error instanceof ConfirmationNeeded) {
      for (const [name, value] of Object.entries(error.entries)) sent.set(name, value);
      return { reason: "unconfirmed", entries: String(sent), question: error.question };
    }
    const entries = String(sent);
    const mistakes = formMistakes(error, page.fields ?? {}, visit);
    return mistakes && { reason: "refused", entries, mistakes: [...mistakes] };
  }

  function conclude(ctx: EdgeContext, visit: Visit, outcome: Outcome): void {
    if ("path" in outcome) {
      kept.forgetPage(ctx);
      seeOther(ctx, `${settingsPath}${outcome.path}`);
    } else if (!kept.redirect(ctx, visit.session.shop, { reason: "created", secret: outcome.secret }))
      throw new Error("the secret is too long to be shown");
  }

  async function actionOf(ctx: EdgeContext, name: string) {
    const file = await ctx.state.upload;
    const upload = ownEntry(uploads, name);
    const action =
      file === undefined
        ? (ownEntry(keyedActions, name) ?? ownEntry(guardedActions, name) ?? ownEntry(actions, name))
        : upload && ((visit: Visit, form: SentForm) => upload(visit, form, file));
    if (action === undefined) throw badRequest("action", "is unknown");
    return action;
  }

  async function refuse(ctx: EdgeContext, visit: Visit, content: KeptContent): Promise<void> {
    if (kept.redirect(ctx, visit.session.shop, content)) return;
    // Costs as much as opening the page.
    const { shop } = visit.session;
    pageQuota.take(shop);
    const again = withKept(visit, content);
    send(ctx, again, await pageQuota.run(shop, () => shown(again)), 422);
  }

  function runOnce(
    ctx: EdgeContext,
    entries: URLSearchParams,
    run: () => Promise<Outcome>,
    hadEffect: (error: unknown) => boolean,
  ): Promise<Outcome> {
    // Uploads need no deduplication: a browser that sends a file again aborts the first request.
    if (ctx.state.upload !== undefined || !entries.get("nonce")) return run();
    return repeated.once(sessionForm(ctx, entries), run, hadEffect);
  }

  async function shown(visit: Visit): Promise<View> {
    if (show === undefined) throw new ServiceError("not_found", "The page has no content to show.");
    return show(visit);
  }

  return {
    path: settingsPath + page.path,
    get: [get],
    ...((page.actions ?? page.guardedActions ?? page.keyedActions ?? page.uploads) && { post: [post] }),
  };
}

function sessionForm(ctx: EdgeContext, entries: URLSearchParams): SessionForm {
  return { sessionToken: sessionTokenOf(ctx), form: `${ctx.state.target.path}\n${entries}` };
}

/** Returns the visit with what the page was redirected to show. */
function withKept(visit: Visit, content: KeptContent | undefined): Visit {
  if (content === undefined) return visit;
  if (content.reason === "created") return { ...visit, secret: content.secret };
  const entries = new URLSearchParams(content.entries);
  const [action, scope] = [entries.get("action") ?? "", entries.get("scope") ?? ""];
  const mistakes = content.reason === "refused" ? content.mistakes : [];
  const question = content.reason === "unconfirmed" ? content.question : undefined;
  return { ...visit, refused: { action, scope, entries, mistakes, question, labels: new Map() } };
}

/**
 * Keeps the entries of a form whose session has ended, and redirects to its page, which asks the merchant to sign in.
 *
 * @returns false if the request is not a form that the merchant has sent
 */
async function keepUntilSignIn(ctx: EdgeContext, kept: KeptForms): Promise<boolean> {
  const { form } = ctx.state;
  // An upload is refused before its body has arrived.
  if (form === undefined || ctx.state.upload !== undefined || !isSameOrigin(ctx.headers)) return false;
  const entries = await form;
  const shop = entries.get("shop") ?? "";
  const content = { reason: "session_ended", entries: String(withoutProof(entries)) } as const;
  return shop !== "" && isUnsentForm(ctx, entries) && kept.redirect(ctx, shop, content);
}

/**
 * Returns the entries of a form that was served in the session and that a merchant has sent and can send again;
 * undefined if the request sends no such form.
 */
export async function unsentForm(ctx: EdgeContext, protection: TextSigner): Promise<URLSearchParams | undefined> {
  const entries = await protectedForm(ctx, protection).catch(() => undefined);
  return entries !== undefined && isUnsentForm(ctx, entries) ? entries : undefined;
}

/** Returns whether a merchant has sent the form, and can send it again with the same entries. */
function isUnsentForm({ state }: EdgeContext, entries: URLSearchParams): boolean {
  // The script sends forms without a nonce, to check them. A page cannot fill in a file.
  return state.upload === undefined && entries.has("nonce");
}

function ownEntry<T>(entries: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}

/**
 * Returns the entries of a form.
 *
 * @throws ServiceError `bad_request` unless the form was served in the session and sent from the same origin
 */
export async function protectedForm(ctx: EdgeContext, protection: TextSigner): Promise<URLSearchParams> {
  const entries = await sameOriginForm(ctx);
  if (!isServedIn(ctx, protection, entries)) throw notServed;
  return entries;
}

const notServed = badRequest("form", "was not served in this session; reload the page and send the form again");

function isServedIn(ctx: EdgeContext, protection: TextSigner, entries: URLSearchParams): boolean {
  return protection.accepts(sessionTokenOf(ctx), entries.get("token") ?? "");
}

// Codes of the errors that the merchant can resolve by changing the form or sending it again later.
const refusals: readonly string[] = ["bad_request", "failed_precondition", "conflict", "rate_limited"];

/**
 * Converts the error of an action to the errors that its form shows; returns undefined for an error that the merchant
 * cannot resolve by changing the form or sending it again later.
 *
 * @param fields see {@link SettingsPage.fields}
 */
function formMistakes(
  error: unknown,
  fields: Readonly<Record<string, string>>,
  { language, text }: Visit,
): readonly FormMistake[] | undefined {
  if (error instanceof FormRefusal) return error.mistakes;
  if (!(error instanceof ServiceError) || !refusals.includes(error.code)) return undefined;
  // The registry's name of a field means nothing to a merchant.
  const isUnexplained = error.code === "bad_request" && error.why === undefined;
  const why = isUnexplained ? text("settings.words.invalid") : reasonText(reasonOf(error), language);
  const field = ownEntry(fields, (error.field ?? "").replace(/^\w+\[\d+\]\./, ""));
  return field === undefined
    ? [{ field: "", text: `${text("settings.shell.refused")} ${why}` }]
    : [{ field, text: why }];
}

/** Wraps the entries of a form. The registry validates the nonce, like every idempotency key. */
function sentForm(entries: URLSearchParams): KeyedForm {
  const text = (name: string) => (entries.get(name) ?? "").toWellFormed().trim();
  const isConfirmed = entries.get(confirmedName) === confirmationOf(entries);
  return { text, has: (name) => entries.has(name), isConfirmed, nonce: text("nonce") };
}
