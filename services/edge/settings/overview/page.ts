import type { Delivery } from "#gen/registry/v1/inspection_service_pb.js";
import type { WebhookSettings } from "#gen/registry/v1/store_admin_service_pb.js";
import { textsFor } from "#shared/texts/texts.ts";
import { formatNumber } from "../../pages/format.ts";
import { type Html, html } from "../../pages/html.ts";
import { badge, code, facts, link, moment, panel } from "../components/content.ts";
import { shownReason } from "../components/shown-reason.ts";
import type { SettingsPage, Visit } from "../model/settings-page.ts";
import type { Tone } from "../model/tone.ts";
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

const deliveriesMax = 20;
const reportsMax = 100;

/** Shows at a glance whether the store's integration works, and how many problem reports are open. */
export const overviewPage: SettingsPage = {
  path: "",
  section: "overview",
  async show(visit) {
    const { registry, language } = visit;
    const [{ store }, { keys }, { webhook }, { deliveries }, { reports }, { triggers }, connection] = await Promise.all(
      [
        registry.stores.getStore({}),
        registry.stores.listApiKeys({}),
        registry.stores.getWebhook({}),
        registry.inspection.listDeliveries({ limit: deliveriesMax }),
        registry.inspection.listReports({ openOnly: true, limit: reportsMax }),
        registry.triggers.listTriggers({}),
        connectionOf(visit),
      ],
    );
    const api = apiHealth(store?.plan ?? 0, keys);
    const text = textsFor(language);
    return {
      title: text("settings.shell.sections.overview"),
      lead: text("settings.overview.lead"),
      content: html`<div class="tiles">
${apiPanel(visit, api, lastUse(keys))}
${webhookPanel(visit, webhookHealth(webhook !== undefined, deliveries), webhook, lastFinished(deliveries))}
${reportsPanel(visit, reports.length)}
${triggersPanel(visit, triggerHealth(triggers))}
${storefrontPanel(visit, connection)}
</div>`,
    };
  },
};

const apiTones: Readonly<Record<ApiHealth, Tone>> = {
  noPlan: "neutral",
  noKey: "neutral",
  unused: "neutral",
  inUse: "good",
};

function apiPanel({ language }: Visit, health: ApiHealth, lastCall: Date | undefined): Html {
  const text = textsFor(language);
  const sentence = {
    noPlan: text("settings.overview.apiNoPlan"),
    noKey: text("settings.overview.apiNoKey"),
    unused: text("settings.overview.apiUnused"),
    inUse: text("settings.overview.apiInUse"),
  };
  const action = {
    noPlan: link("/plan", text("settings.overview.changePlan"), "button"),
    noKey: link("/keys", text("settings.overview.createKey"), "button"),
    unused: link("/keys", text("settings.overview.manageKeys"), "button"),
    inUse: link("/keys", text("settings.overview.manageKeys"), "button"),
  };
  return panel(
    text("settings.overview.api"),
    html`${health === "inUse" && html`<p>${badge(apiTones[health], text("settings.overview.allGood"))}</p>`}
<p>${sentence[health]}</p>
${facts([[text("settings.overview.lastCall"), moment(lastCall, language) ?? text("settings.overview.never")]])}
<p class="more">${action[health]}</p>`,
  );
}

const webhookTones: Readonly<Record<WebhookHealth, Tone>> = {
  missing: "neutral",
  idle: "neutral",
  works: "good",
  fails: "bad",
};

function webhookPanel(
  { language }: Visit,
  health: WebhookHealth,
  webhook: WebhookSettings | undefined,
  last: Delivery | undefined,
): Html {
  const text = textsFor(language);
  const sentence = {
    missing: text("settings.overview.webhookMissing"),
    idle: text("settings.overview.webhookIdle"),
    works: text("settings.overview.webhookWorks"),
    fails: text("settings.overview.webhookFails"),
  };
  const state = health === "works" ? text("settings.overview.allGood") : text("settings.overview.attention");
  return panel(
    text("settings.overview.webhook"),
    html`${(health === "works" || health === "fails") && html`<p>${badge(webhookTones[health], state)}</p>`}
<p>${sentence[health]}</p>
${facts([
  [text("settings.overview.receiver"), webhook && code(new URL(webhook.url).host)],
  [text("settings.overview.lastDelivery"), moment(last?.claimedAt, language)],
  [text("settings.overview.reason"), health === "fails" ? shownReason(last?.outcome?.reason, language) : undefined],
])}
${webhook?.secrets.length === 0 && html`<p class="hint">${text("settings.overview.unsigned")}</p>`}
<p class="more">${webhook === undefined ? link("/webhook", text("settings.overview.setUp"), "button") : link("/deliveries", text("settings.overview.openLog"), "button")}</p>`,
  );
}

function reportsPanel({ language }: Visit, count: number): Html {
  const text = textsFor(language);
  const shown = count === reportsMax ? `${formatNumber(count, language)}+` : formatNumber(count, language);
  return panel(
    text("settings.overview.reports"),
    html`${count > 0 && html`<p>${badge("warn", text("settings.overview.attention"))}</p>`}
<p>${count === 0 ? text("settings.overview.noReports") : text("settings.overview.openReports", { count: shown })}</p>
<p class="more">${link("/reports", text("settings.overview.readReports"), "button")}</p>`,
  );
}

/** Renders a warning if a trigger fails or the service has disabled one; otherwise nothing. */
function triggersPanel({ language }: Visit, health: TriggerHealth): Html | undefined {
  if (health === "works") return undefined;
  const title = textsFor(language)("settings.shell.sections.triggers");
  const state = badge(health === "disabled" ? "bad" : "warn", textsFor(language)("settings.overview.attention"));
  const sentence = textsFor(language)(`settings.triggers.action.notice.${health}`);
  return panel(
    title,
    html`<p>${state}</p>
<p>${sentence}</p>
<p class="more">${link("/triggers", title, "button")}</p>`,
  );
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
function storefrontPanel(
  { language }: Visit,
  { state, storefront, problemCount }: Awaited<ReturnType<typeof connectionOf>>,
): Html | undefined {
  if (state === "unused") return undefined;
  const text = textsFor(language);
  const title = text("settings.shell.sections.storefront");
  return panel(
    title,
    html`<p>${badge(stateTone(state), text(`settings.storefront.states.${state}`))}</p>
<p>${state === "attention" ? text("settings.storefront.problemList.count", { count: listedCount(problemCount, language) }) : text(`settings.storefront.sentences.${state}`)}</p>
${facts([[text("settings.storefront.lastMessage"), moment(storefront.lastMessageAt, language)]])}
<p class="more">${state === "attention" ? link("/storefront/problems", text("settings.storefront.problemList.show"), "button") : link("/storefront", title, "button")}</p>`,
  );
}
