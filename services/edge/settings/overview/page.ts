import type { Delivery } from "#gen/registry/v1/inspection_service_pb.js";
import type { WebhookSettings } from "#gen/registry/v1/store_admin_service_pb.js";
import { publicCertificateSchema } from "#shared/certificates/public-certificate.ts";
import { isUnavailable, ServiceError } from "#shared/errors/service-error.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import type { Language } from "#shared/texts/languages.ts";
import { textsFor } from "#shared/texts/texts.ts";
import { colonOf } from "../../pages/format.ts";
import { type Html, html } from "../../pages/html.ts";
import { certificateRow } from "../certificates/list-page.ts";
import { badge, code, link, moment, panel, type Row, rowList, type Tone } from "../components/content.ts";
import { shownReason } from "../components/shown-reason.ts";
import type { SettingsPage, Visit } from "../model/settings-page.ts";
import { listedCount, listedMax } from "../storefront/listed-count.ts";
import { stateTone, storefrontState } from "../storefront/storefront-state.ts";
import { type TriggerHealth, triggerHealth } from "../triggers/trigger-health.ts";
import { type ApiHealth, apiHealth, lastFinished, type WebhookHealth, webhookHealth } from "./integration-health.ts";
import { countedWeek, weekRow } from "./week.ts";

const deliveriesMax = 20;
const certificatesMax = 5;

/** Shows the week's events, the latest certificates, and whether the store's integration works. */
export const overviewPage: SettingsPage = {
  path: "",
  section: "overview",
  async show(visit) {
    const { registry, text } = visit;
    const { inspection, stores } = registry;
    const [latest, open, api, webhook, triggers, connection, week] = await Promise.all([
      ifAvailable(inspection.findCertificates({ limit: certificatesMax, newestFirst: true })),
      ifAvailable(inspection.listReports({ openOnly: true, limit: listedMax })),
      ifAvailable(Promise.all([stores.getStore({}), stores.listApiKeys({})])),
      ifAvailable(Promise.all([stores.getWebhook({}), inspection.listDeliveries({ limit: deliveriesMax })])),
      ifAvailable(registry.triggers.listTriggers({})),
      ifAvailable(connectionOf(visit)),
      countedWeek(visit),
    ]);
    const parts = { certificates: latest, reports: open, api, webhook, triggers, storefront: connection };
    const omitted = errorsOf(parts);
    if (omitted.length === Object.keys(parts).length) throw omitted[0]?.[1];
    omitted.push(...errorsOf({ week }));
    const notShown = text("settings.overview.notShown");
    const partsOf = <T>(part: T | ServiceError, title: string, render: (part: T) => Part[]): Part[] =>
      part instanceof ServiceError ? [{ title, details: [notShown] }] : render(part);
    const health = [
      ...partsOf(open, text("settings.overview.reports"), ({ reports }) => [reportsPart(visit, reports.length)]),
      ...partsOf(api, text("settings.overview.api"), ([{ store }, { keys }]) => [
        apiPart(visit, apiHealth(store?.plan ?? 0, keys)),
      ]),
      ...partsOf(webhook, text("settings.overview.webhook"), ([{ webhook: set }, { deliveries }]) => [
        webhookPart(visit, webhookHealth(set !== undefined, deliveries), set, lastFinished(deliveries)),
      ]),
      ...partsOf(triggers, text("settings.shell.sections.triggers"), (of) =>
        triggerParts(visit, triggerHealth(of.triggers)),
      ),
      ...partsOf(connection, text("settings.shell.sections.storefront"), (of) => storefrontParts(visit, of)),
    ];
    const { certificates } = latest instanceof ServiceError ? { certificates: [] } : latest;
    const rows = certificates.map((json) => certificateRow(visit, publicCertificateSchema.parse(json)));
    const noRows = latest instanceof ServiceError ? notShown : text("settings.certificates.none");
    return {
      title: text("settings.shell.sections.overview"),
      lead: text("settings.overview.lead"),
      omitted: omitted.length > 0 ? Object.fromEntries(omitted) : undefined,
      content: html`<p class="inline-actions">${link("/certificates/issue", text("settings.certificates.issue"), "button")}${link("/certificates/import", text("settings.import.upload.title"))}</p>
${weekRow(visit, week)}
${panel(text("settings.overview.latest"), rowList(rows, noRows))}
${panel(text("settings.overview.health"), healthOf(health))}`,
    };
  },
};

/** A part of the integration: brief while it works, otherwise a row that says what there is to do. */
type Part = { readonly brief: Html } | Row;

/** Renders what works in one line, and below it what does not. */
function healthOf(parts: readonly Part[]): Html {
  const rows = parts.flatMap((part) => ("brief" in part ? [] : [part]));
  const briefs = parts.flatMap((part) => ("brief" in part ? [html`<li>${part.brief}</li>`] : []));
  return html`${briefs.length > 0 && html`<ul class="strip">${briefs}</ul>`}${rows.length > 0 && rowList(rows, "")}`;
}

/** Returns the value of a call, or its error while the registry is too busy for it: the page shows the other parts. */
async function ifAvailable<T>(call: Promise<T>): Promise<T | ServiceError> {
  try {
    return await call;
  } catch (thrown) {
    const error = toServiceError(thrown);
    if (isUnavailable(error)) return error;
    throw thrown;
  }
}

/** Returns the errors of the parts that cannot be shown, each with the part's name. */
function errorsOf(parts: Readonly<Record<string, unknown>>): [part: string, error: ServiceError][] {
  return Object.entries(parts).flatMap(([part, result]) => (result instanceof ServiceError ? [[part, result]] : []));
}

function apiPart({ language, text }: Visit, health: ApiHealth): Part {
  const title = text("settings.overview.api");
  if (health === "inUse") return { brief: working(link("/keys", title), language) };
  const sentence = {
    noPlan: text("settings.overview.apiNoPlan"),
    noKey: text("settings.overview.apiNoKey"),
    unused: text("settings.overview.apiUnused"),
  };
  const action = {
    noPlan: link("/plan", text("settings.overview.changePlan")),
    noKey: link("/keys", text("settings.overview.createKey")),
    unused: link("/keys", text("settings.overview.manageKeys")),
  };
  return { title, details: [sentence[health], action[health]] };
}

const webhookTones: Readonly<Partial<Record<WebhookHealth, Tone>>> = { works: "good", fails: "bad" };

function webhookPart(
  { language, text }: Visit,
  health: WebhookHealth,
  webhook: WebhookSettings | undefined,
  last: Delivery | undefined,
): Part {
  const title = text("settings.overview.webhook");
  const isUnsigned = webhook?.secrets.length === 0;
  if (health === "works" && !isUnsigned) return { brief: working(link("/deliveries", title), language) };
  const sentence = {
    missing: text("settings.overview.webhookMissing"),
    idle: text("settings.overview.webhookIdle"),
    works: text("settings.overview.webhookWorks"),
    fails: text("settings.overview.webhookFails"),
  };
  const tone = webhookTones[health];
  const state = health === "works" ? text("settings.overview.allGood") : text("settings.overview.attention");
  return {
    title,
    state: tone && badge(tone, state),
    details: [
      sentence[health],
      webhook && code(new URL(webhook.url).host),
      last && html`${text("settings.overview.lastDelivery")}${colonOf(language)}${moment(last.claimedAt, language)}`,
      webhook === undefined
        ? link("/webhook", text("settings.overview.setUp"))
        : link("/deliveries", text("settings.overview.openLog")),
    ],
    more: html`${health === "fails" && html`<p class="mistake">${shownReason(last?.outcome?.reason, language)}</p>`}${
      isUnsigned && html`<p class="hint">${text("settings.overview.unsigned")}</p>`
    }`,
  };
}

function reportsPart({ language, text }: Visit, count: number): Part {
  if (count === 0) return { brief: link("/reports", text("settings.overview.noReports")) };
  return {
    title: text("settings.overview.reports"),
    state: badge("warn", text("settings.overview.attention")),
    details: [
      text("settings.overview.openReports", { count: listedCount(count, language) }),
      link("/reports", text("settings.overview.readReports")),
    ],
  };
}

/** Renders a warning if a trigger fails or the service has disabled one; otherwise nothing. */
function triggerParts({ text }: Visit, health: TriggerHealth): Part[] {
  if (health === "works") return [];
  return [
    {
      title: link("/triggers", text("settings.shell.sections.triggers")),
      state: badge(health === "disabled" ? "bad" : "warn", text("settings.overview.attention")),
      details: [text(`settings.triggers.action.notice.${health}`)],
    },
  ];
}

function working(title: Html, language: Language): Html {
  return html`${title} ${badge("good", textsFor(language)("settings.overview.allGood"))}`;
}

/** Reads the storefront connection, and counts the messages and orders that need attention, up to `listedMax`. */
async function connectionOf({ registry }: Visit) {
  const [storefront, { problems }] = await Promise.all([
    registry.storefront.getStorefront({}),
    registry.storefront.listStorefrontProblems({ limit: listedMax }),
  ]);
  return { state: storefrontState(storefront, problems.length), storefront, problemCount: problems.length };
}

/** Renders the state of the connection to the storefront platform, or nothing if the connection is unused. */
function storefrontParts(
  { language, text }: Visit,
  { state, storefront, problemCount }: Awaited<ReturnType<typeof connectionOf>>,
): Part[] {
  if (state === "unused") return [];
  const title = link("/storefront", text("settings.shell.sections.storefront"));
  const shownState = badge(stateTone(state), text(`settings.storefront.states.${state}`));
  if (state === "works") return [{ brief: html`${title} ${shownState}` }];
  const isWrong = state === "attention";
  return [
    {
      title,
      state: shownState,
      details: [
        isWrong
          ? text("settings.storefront.problemList.count", { count: listedCount(problemCount, language) })
          : text(`settings.storefront.sentences.${state}`),
        storefront.lastMessageAt &&
          html`${text("settings.storefront.lastMessage")}${colonOf(language)}${moment(storefront.lastMessageAt, language)}`,
        isWrong ? link("/storefront/problems", text("settings.storefront.problemList.show")) : undefined,
      ],
    },
  ];
}
