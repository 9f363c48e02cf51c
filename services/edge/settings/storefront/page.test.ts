import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { textsFor } from "#shared/texts/texts.ts";
import { settingsServices } from "../../registry-client/settings-services.ts";
import { visitFixture } from "../visit-fixture.ts";
import { storefrontPage } from "./page.ts";

const text = textsFor("en");

test.each([
  ["no message has arrived", undefined, false],
  ["a message has arrived", timestampFromDate(new Date("2026-11-24T09:00:00Z")), true],
])("if %s, the page shows its work in progress accordingly", async (_name, lastMessageAt, isShown) => {
  const visit = visitFixture(({ service }) =>
    service(settingsServices.storefront, {
      getStorefront: () => ({ waitingCount: 1, ...(lastMessageAt && { lastMessageAt }) }),
      listStorefrontProblems: () => ({}),
      listDataRequests: () => ({}),
    }),
  );
  const page = String((await storefrontPage.show?.(visit))?.content);
  expect(page.includes(text("settings.storefront.waiting"))).toBe(isShown);
});
