import { timestampNow } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { textsFor } from "#shared/texts/texts.ts";
import { settingsServices } from "../../registry-client/settings-services.ts";
import type { View } from "../model/settings-page.ts";
import { visitFixture } from "../visit-fixture.ts";
import { overviewPage } from "./page.ts";

const text = textsFor("en");
const notShown = text("settings.overview.notShown");

/**
 * Renders the page of a store whose registry answers some calls only with an error, and one not at all.
 *
 * @param answers the responses to other calls, by name. Default: empty ones
 */
async function open(
  failing: readonly string[],
  code = Code.Unavailable,
  unanswered = "",
  answers: Readonly<Record<string, object>> = {},
): Promise<View | undefined> {
  const answer = (name: string) => () => {
    if (failing.includes(name)) throw new ConnectError("", code);
    return name === unanswered ? new Promise<object>(() => undefined) : (answers[name] ?? {});
  };
  const calls = {
    inspection: ["findCertificates", "listReports", "listDeliveries", "countWeek"],
    stores: ["getStore", "listApiKeys", "getWebhook"],
    triggers: ["listTriggers"],
    storefront: ["getStorefront", "listStorefrontProblems"],
  } as const;
  const visit = visitFixture(({ service }) => {
    for (const name of ["inspection", "stores", "triggers", "storefront"] as const)
      service(settingsServices[name], Object.fromEntries(calls[name].map((call) => [call, answer(call)])));
  });
  return overviewPage.show?.(visit);
}

/** Like {@link open}. @returns the page's content */
async function render(...given: Parameters<typeof open>): Promise<string> {
  return String((await open(...given))?.content);
}

test.each([
  ["listDeliveries", "settings.overview.webhook"],
  ["listApiKeys", "settings.overview.api"],
  ["listReports", "settings.overview.reports"],
  ["listTriggers", "settings.shell.sections.triggers"],
  ["getStorefront", "settings.shell.sections.storefront"],
  ["findCertificates", "settings.overview.latest"],
] as const)("while %s is unavailable, the page shows the rest and says what cannot be shown", async (call, title) => {
  const page = await render([call]);
  expect(page.split(notShown)).toHaveLength(2);
  expect(page.split(notShown)[0]?.split(text(title))).toHaveLength(2);
});

test("each part that is left out is named for the log, with its error, also the week's numbers", async () => {
  const { omitted } = (await open(["listReports", "countWeek"])) ?? {};
  expect(omitted).toMatchObject({ reports: { code: "unavailable" }, week: { code: "unavailable" } });
  expect((await open([]))?.omitted).toBeUndefined();
});

test("the page does not wait for a count of the week's numbers that takes too long", async () => {
  const { omitted } = (await open([], Code.Unavailable, "countWeek")) ?? {};
  expect(omitted).toMatchObject({ week: { code: "unavailable" } });
});

test.each([
  [false, '<span class="number">9,000</span>', ": 1,000,"],
  [true, '<span class="number">9,000+</span>', ": 1,000+,"],
])("a number has a plus only if the registry has not counted to the end: %s", async (isPartial, number, day) => {
  const counts = [1_000, 0, 500, 4_500, 0, 1_000, 2_000];
  const answers = { countWeek: { weeks: [{ event: EventType.ISSUED, counts }], isPartial } };
  const page = await render([], Code.Unavailable, "", answers);
  expect(page).toContain(number);
  expect(page).toContain(day);
});

test("all is shown while the registry is available, and another failure is not concealed", async () => {
  expect(await render([])).not.toContain(notShown);
  await expect(render(["listDeliveries"], Code.Internal)).rejects.toThrow();
});

test("while no part can be read, the page is the error that it is, not a page of gaps", async () => {
  const firstOfEachPart = [
    "findCertificates",
    "listReports",
    "getStore",
    "getWebhook",
    "listTriggers",
    "getStorefront",
  ];
  await expect(render(firstOfEachPart)).rejects.toMatchObject({ code: "unavailable" });
});

test.each([
  ["nothing", OutcomeKind.DELIVERED, 0, ["API", "No open reports", "Storefront", "Webhook"], []],
  ["the webhook", OutcomeKind.REFUSED, 0, ["API", "No open reports", "Storefront"], ["Webhook"]],
  ["a report", OutcomeKind.DELIVERED, 1, ["API", "Storefront", "Webhook"], ["Problem reports"]],
])(
  "what works is one line, to which a row is added for what needs attention: %s",
  async (_name, kind, count, brief, rows) => {
    const answers = {
      listReports: { reports: Array.from({ length: count }, () => ({})) },
      getStore: { store: { plan: Plan.PRO } },
      listApiKeys: { keys: [{ lastUsedAt: timestampNow() }] },
      getWebhook: { webhook: { url: "https://receiver.example.test/hook", secrets: [{}] } },
      listDeliveries: { deliveries: [{ outcome: { kind } }] },
      getStorefront: { rules: [{}], lastMessageAt: timestampNow() },
    };
    const page = String((await open([], Code.Unavailable, "", answers))?.content);
    const health = page.slice(page.indexOf(text("settings.overview.health")));
    const found = (pattern: RegExp) => Array.from(health.matchAll(pattern), ([, name = ""]) => name).toSorted();
    expect(found(/<li><a [^>]*>([^<]+)</g)).toEqual(brief);
    expect(found(/class="title">([^<]+)</g)).toEqual(rows);
  },
);
