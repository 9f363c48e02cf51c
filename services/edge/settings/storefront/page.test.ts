import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { textsFor } from "#shared/texts/texts.ts";
import { settingsServices } from "../../registry-client/settings-services.ts";
import { visitFixture } from "../visit-fixture.ts";
import { storefrontPage } from "./page.ts";

test.each([
  [undefined, false],
  [timestampFromDate(new Date("2026-11-24T09:00:00Z")), true],
])(
  "of a store whose last message arrived at %j, the page shows work in progress: %s",
  async (lastMessageAt, isShown) => {
    const visit = visitFixture(({ service }) =>
      service(settingsServices.storefront, {
        getStorefront: () => ({ waitingCount: 1, ...(lastMessageAt && { lastMessageAt }) }),
        listStorefrontProblems: () => ({}),
        listDataRequests: () => ({}),
      }),
    );
    const page = String((await storefrontPage.show?.(visit))?.content);
    expect(page.includes(textsFor("en")("settings.storefront.waiting"))).toBe(isShown);
  },
);
