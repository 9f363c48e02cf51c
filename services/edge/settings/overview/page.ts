import type { Delivery } from "#gen/registry/v1/inspection_service_pb.js";
import type { WebhookSettings } from "#gen/registry/v1/store_admin_service_pb.js";
import { isUnavailable, ServiceError } from "#shared/errors/service-error.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import { textsFor } from "#shared/texts/texts.ts";
import { colonOf, formatNumber } from "../../pages/format.ts";
import { html } from "../../pages/html.ts";
import { parseCertificate } from "../certificates/certificate.ts";
import { certificateRow } from "../certificates/list-page.ts";
import { badge, code, link, moment, panel, type Row, rowList, type Tone } from "../components/content.ts";
import { shownReason } from "../components/shown-reason.ts";
import type { SettingsPage, Visit } from "../model/settings-page.ts";
import { listedCount, listedMax } from "../storefront/listed-count.ts";
import { stateTone, storefrontState } from "../storefront/storefront-state.ts";
import { type TriggerHealth, triggerHealth } from "../triggers/trigger-health.ts";
import {
  type ApiHealth,
  apiHealth,
  lastFinished,
  lastUse,
  type WebhookHealth,
  webhookHealth,
} from "./integration-health.ts";
import { countedWeek, weekRow } from "./week.ts";

const deliveriesMax = 20;
const reportsMax = 100;
const certificatesMax = 5;

/** Shows the latest certificates and, in a line each, whether the store's integration works. */
export const overviewPage: SettingsPage = {
  path: "",
  section: "overview",
  async show(visit) {
    const { registry, language } = visit;
    const { inspection, stores } = registry;
    const [latest, open, api, webhook, triggers, connection, week] = await Promise.all([
      ifAvailable(inspection.findCertificates({ limit: certificatesMax, newestFirst: true })),
      ifAvailable(inspection.listReports({ openOnly: true, limit: reportsMax })),
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
    const text = textsFor(language);
    const notShown = text("settings.overview.notShown");
    const rowsOf = <T>(part: T | ServiceError, title: string, render: (part: T) => Row[]) =>
      part instanceof ServiceError ? [{ title, details: [notShown] }] : render(part);
    const health = [
      ...rowsOf(open, text("settings.overview.reports"), ({ reports }) => [reportsRow(visit, reports.length)]),
      ...rowsOf(api, text("settings.overview.api"), ([{ store }, { keys }]) => [
        apiRow(visit, apiHealth(store?.plan ?? 0, keys), lastUse(keys)),
      ]),
      ...rowsOf(webhook, text("settings.overview.webhook"), ([{ webhook: set }, { deliveries }]) => [
        webhookRow(visit, webhookHealth(set !== undefined, deliveries), set, lastFinished(deliveries)),
      ]),
      ...rowsOf(triggers, text("settings.shell.sections.triggers"), (of) =>
        triggersRows(visit, triggerHealth(of.triggers)),
      ),
      ...rowsOf(connection, text("settings.shell.sections.storefront"), (of) => storefrontRows(visit, of)),
    ];
    const { certificates } = latest instanceof ServiceError ? { certificates: [] } : latest;
    const rows = certificates.map((json) => certificateRow(visit, parseCertificate(json)));
    const noRows = latest instanceof ServiceError ? notShown : text("settings.certificates.none");
    return {
      title: text("settings.shell.sections.overview"),
      lead: text("settings.overview.lead"),
      omitted: omitted.length > 0 ? Object.fromEntries(omitted) : undefined,
      content: html`<p class="inline-actions">${link("/certificates/issue", text("settings.certificates.issue"), "button")}${link("/certificates/import", text("settings.import.upload.title"))}</p>
${weekRow(visit, week)}
${panel(text("settings.overview.latest"), rowList(rows, noRows))}
${panel(text("settings.overview.health"), rowList(health, ""))}`,
    };
  },
};

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

function apiRow({ language }: Visit, health: ApiHealth, lastCall: Date | undefined): Row {
  const text = textsFor(language);
  const sentence = {
    noPlan: text("settings.overview.apiNoPlan"),
    noKey: text("settings.overview.apiNoKey"),
    unused: text("settings.overview.apiUnused"),
    inUse: text("settings.overview.apiInUse"),
  };
  const action = {
    noPlan: link("/plan", text("settings.overview.changePlan")),
    noKey: link("/keys", text("settings.overview.createKey")),
    unused: link("/keys", text("settings.overview.manageKeys")),
    inUse: link("/keys", text("settings.overview.manageKeys")),
  };
  return {
    title: text("settings.overview.api"),
    state: health === "inUse" ? badge("good", text("settings.overview.allGood")) : undefined,
    details: [
      sentence[health],
      lastCall && html`${text("settings.overview.lastCall")}${colonOf(language)}${moment(lastCall, language)}`,
      action[health],
    ],
  };
}

const webhookTones: Readonly<Partial<Record<WebhookHealth, Tone>>> = { works: "good", fails: "bad" };

function webhookRow(
  { language }: Visit,
  health: WebhookHealth,
  webhook: WebhookSettings | undefined,
  last: Delivery | undefined,
): Row {
  const text = textsFor(language);
  const sentence = {
    missing: text("settings.overview.webhookMissing"),
    idle: text("settings.overview.webhookIdle"),
    works: text("settings.overview.webhookWorks"),
    fails: text("settings.overview.webhookFails"),
  };
  const tone = webhookTones[health];
  const state = health === "works" ? text("settings.overview.allGood") : text("settings.overview.attention");
  return {
    title: text("settings.overview.webhook"),
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
      webhook?.secrets.length === 0 && html`<p class="hint">${text("settings.overview.unsigned")}</p>`
    }`,
  };
}

function reportsRow({ language }: Visit, count: number): Row {
  const text = textsFor(language);
  const shown = count === reportsMax ? `${formatNumber(count, language)}+` : formatNumber(count, language);
  return {
    title: text("settings.overview.reports"),
    state: count > 0 ? badge("warn", text("settings.overview.attention")) : undefined,
    details: [
      count === 0 ? text("settings.overview.noReports") : text("settings.overview.openReports", { count: shown }),
      link("/reports", text("settings.overview.readReports")),
    ],
  };
}

/** Renders a warning if a trigger fails or the service has disabled one; otherwise nothing. */
function triggersRows({ language }: Visit, health: TriggerHealth): Row[] {
  if (health === "works") return [];
  const title = textsFor(language)("settings.shell.sections.triggers");
  return [
    {
      title: link("/triggers", title),
      state: badge(health === "disabled" ? "bad" : "warn", textsFor(language)("settings.overview.attention")),
      details: [textsFor(language)(`settings.triggers.action.notice.${health}`)],
    },
  ];
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
function storefrontRows(
  { language }: Visit,
  { state, storefront, problemCount }: Awaited<ReturnType<typeof connectionOf>>,
): Row[] {
  if (state === "unused") return [];
  const text = textsFor(language);
  const title = text("settings.shell.sections.storefront");
  const isWrong = state === "attention";
  return [
    {
      title: link("/storefront", title),
      state: badge(stateTone(state), text(`settings.storefront.states.${state}`)),
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
