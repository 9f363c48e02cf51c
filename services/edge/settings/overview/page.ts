import type { Delivery } from "#gen/registry/v1/inspection_service_pb.js";
import type { WebhookSettings } from "#gen/registry/v1/store_admin_service_pb.js";
import { type Html, html } from "../../pages/html.ts";
import { formatNumber } from "../../pages/messages/format.ts";
import { badge, code, facts, link, moment, panel } from "../components/content.ts";
import { deliveryReason } from "../delivery-reasons/delivery-reason.ts";
import type { SettingsPage, Visit } from "../model/settings-page.ts";
import type { Tone } from "../model/tone.ts";
import { shellTexts } from "../shell/texts.ts";
import { listedCount, listedMax } from "../storefront/listed-count.ts";
import { problemListTexts } from "../storefront/problem-list-texts.ts";
import { stateTone, storefrontState } from "../storefront/storefront-state.ts";
import { texts as storefrontTexts } from "../storefront/texts.ts";
import { actionTexts } from "../triggers/action-texts.ts";
import { type TriggerHealth, triggerHealth } from "../triggers/trigger-health.ts";
import {
  type ApiHealth,
  apiHealth,
  lastFinished,
  lastUse,
  type WebhookHealth,
  webhookHealth,
} from "./integration-health.ts";
import { texts } from "./texts.ts";

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
        registry.store.getStore({}),
        registry.keys.listApiKeys({}),
        registry.webhook.getWebhook({}),
        registry.webhook.listDeliveries({ limit: deliveriesMax }),
        registry.certificates.listReports({ openOnly: true, limit: reportsMax }),
        registry.triggers.listTriggers({}),
        connectionOf(visit),
      ],
    );
    const api = apiHealth(store?.plan ?? 0, keys);
    const words = texts[language];
    return {
      title: shellTexts[language].sections.overview,
      lead: words.lead,
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
  const words = texts[language];
  const sentence = { noPlan: words.apiNoPlan, noKey: words.apiNoKey, unused: words.apiUnused, inUse: words.apiInUse };
  const action = {
    noPlan: link("/plan", words.changePlan, "button"),
    noKey: link("/keys", words.createKey, "button"),
    unused: link("/keys", words.manageKeys, "button"),
    inUse: link("/keys", words.manageKeys, "button"),
  };
  return panel(
    words.api,
    html`${health === "inUse" && html`<p>${badge(apiTones[health], words.allGood)}</p>`}
<p>${sentence[health]}</p>
${facts([[words.lastCall, moment(lastCall, language) ?? words.never]])}
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
  const words = texts[language];
  const sentence = {
    missing: words.webhookMissing,
    idle: words.webhookIdle,
    works: words.webhookWorks,
    fails: words.webhookFails,
  };
  const state = health === "works" ? words.allGood : words.attention;
  return panel(
    words.webhook,
    html`${(health === "works" || health === "fails") && html`<p>${badge(webhookTones[health], state)}</p>`}
<p>${sentence[health]}</p>
${facts([
  [words.receiver, webhook && code(new URL(webhook.url).host)],
  [words.lastDelivery, moment(last?.claimedAt, language)],
  [words.reason, health === "fails" && last?.outcome ? deliveryReason(last.outcome.reason, language) : undefined],
])}
${webhook?.secrets.length === 0 && html`<p class="hint">${words.unsigned}</p>`}
<p class="more">${webhook === undefined ? link("/webhook", words.setUp, "button") : link("/deliveries", words.openLog, "button")}</p>`,
  );
}

function reportsPanel({ language }: Visit, count: number): Html {
  const words = texts[language];
  const shown = count === reportsMax ? `${formatNumber(count, language)}+` : formatNumber(count, language);
  return panel(
    words.reports,
    html`${count > 0 && html`<p>${badge("warn", words.attention)}</p>`}
<p>${count === 0 ? words.noReports : words.openReports(shown)}</p>
<p class="more">${link("/reports", words.readReports, "button")}</p>`,
  );
}

/** Renders a warning if a trigger fails or the service has disabled one; otherwise nothing. */
function triggersPanel({ language }: Visit, health: TriggerHealth): Html | undefined {
  if (health === "works") return undefined;
  const title = shellTexts[language].sections.triggers;
  const state = badge(health === "disabled" ? "bad" : "warn", texts[language].attention);
  const sentence = actionTexts[language].notice[health];
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
  const { states, sentences, lastMessage } = storefrontTexts[language];
  const { count, show } = problemListTexts[language];
  const title = shellTexts[language].sections.storefront;
  return panel(
    title,
    html`<p>${badge(stateTone(state), states[state])}</p>
<p>${state === "attention" ? count(listedCount(problemCount, language)) : sentences[state]}</p>
${facts([[lastMessage, moment(storefront.lastMessageAt, language)]])}
<p class="more">${state === "attention" ? link("/storefront/problems", show, "button") : link("/storefront", title, "button")}</p>`,
  );
}
