import { expect, test } from "vitest";
import { settingsServices } from "../../registry-client/settings-services.ts";
import { visitFixture } from "../visit-fixture.ts";
import { deliveriesPage, queuedNotice } from "./page.ts";

const noticeOf = (query: string) => queuedNotice({ query: new URLSearchParams(query), language: "en" });

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
  ["id=tst_1", "The message is about to be sent. Reload the page."],
])("an empty log says whether the filter is the reason: %j", async (query, expected) => {
  const visit = visitFixture(
    ({ service }) => void service(settingsServices.inspection, { listDeliveries: () => ({ deliveries: [] }) }),
    { query: new URLSearchParams(query) },
  );
  expect(String((await deliveriesPage.show?.(visit))?.content)).toContain(`<p class="empty">${expected}</p>`);
});
