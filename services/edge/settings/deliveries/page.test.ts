import { expect, test } from "vitest";
import { textsFor } from "#shared/texts/texts.ts";
import { settingsServices } from "../../registry-client/settings-services.ts";
import { visitFixture } from "../visit-fixture.ts";
import { deliveriesPage, queuedNotice } from "./page.ts";

const noticeOf = (query: string) => queuedNotice({ query: new URLSearchParams(query), text: textsFor("en") });

test.each(["0", "5", "1000"])("says how many events were queued: %s", (count) => {
  expect(noticeOf(`done=queued&count=${count}`)).toBeTypeOf("string");
});

test.each(["count=999999999", "count=1001", "count=-1", "count=1.5", "count=1e99", "count=x", ""])(
  "repeats no number of a link that no form can have queued: %s",
  (query) => {
    expect(noticeOf(query)).toBeUndefined();
  },
);

test("a delivery is open if sending it again was refused, so that the form can be sent once more", async () => {
  const refused = { action: "again", scope: "evt_2", entries: new URLSearchParams(), mistakes: [], labels: new Map() };
  const deliveries = ["evt_1", "evt_2"].map((eventId) => ({ eventId, outcome: {} }));
  const visit = visitFixture(
    ({ service }) => void service(settingsServices.inspection, { listDeliveries: () => ({ deliveries }) }),
    { refused },
  );
  const rows = String((await deliveriesPage.show?.(visit))?.content)
    .split("<li>")
    .slice(1);
  expect(rows.map((row) => /<details[^>]* open>/.test(row))).toEqual([false, true]);
  expect(rows.map((row) => /name="scope" value="(.*?)"/.exec(row)?.[1])).toEqual(["evt_1", "evt_2"]);
});

test.each([
  ["", "There are no messages."],
  ["event=&outcome=&since=&until=&id=", "There are no messages."],
  ["event=issued", "No messages match."],
  ["outcome=unknown", "The filter “unknown” is not valid. Correct or clear it."],
])("an empty log says whether the filter is the reason: %j", async (query, expected) => {
  const visit = visitFixture(
    ({ service }) => void service(settingsServices.inspection, { listDeliveries: () => ({ deliveries: [] }) }),
    { query: new URLSearchParams(query) },
  );
  expect(String((await deliveriesPage.show?.(visit))?.content)).toContain(`<p class="empty">${expected}</p>`);
});

test.each([
  ["that has no entry yet", "id=agn_1", [], true],
  ["without an outcome yet", "id=tst_1", [{ eventId: "tst_1" }], true],
  ["with an outcome", "id=agn_1", [{ eventId: "agn_1", outcome: {} }], false],
  ["that another filter leaves out", "id=agn_1&outcome=failed", [], false],
  ["that was not sent by hand", "id=evt_1", [], false],
])("the page says whether a message %s is on its way", async (_case, query, deliveries, isAwaited) => {
  const visit = visitFixture(
    ({ service }) => void service(settingsServices.inspection, { listDeliveries: () => ({ deliveries }) }),
    { query: new URLSearchParams(query) },
  );
  const content = String((await deliveriesPage.show?.(visit))?.content);
  expect(/ data-live="120">[\s\S]*The message is on its way/.test(content)).toBe(isAwaited);
  expect(content.includes('<p class="empty">')).toBe(deliveries.length === 0 && !isAwaited);
});
