import { describe, expect, test } from "vitest";
import type { BucketPolicy } from "#shared/limits/token-bucket.ts";
import { messageBytesMax } from "../../services/edge/connector/collect-body.ts";
import { messagesPerDayMax } from "../../services/edge/connector/connector-routes.ts";
import { linesMax, refundsMax } from "../../services/edge/connector/shopify/order-payload.ts";
import { tagsMax } from "../../services/edge/connector/shopify/product-payload.ts";
import { listenPolicy, waitingListenersMax } from "../../services/edge/listen/listen-routes.ts";
import { uploadBytesMax } from "../../services/edge/pages/collect-uploads.ts";
import { changesAtOnceMax, changesPerDayMax } from "../../services/edge/settings/engine/change-quota.ts";
import { pagePolicy, preparedPages } from "../../services/edge/settings/engine/page-quota.ts";
import {
  anyPartEveryMs,
  importFileBytesMax,
  partEveryMs,
  uploadsMax,
} from "../../services/edge/settings/import/upload-file.ts";
import { logoFileBytesMax } from "../../services/edge/settings/logo/logo-panel.ts";
import { productFileBytesMax } from "../../services/edge/settings/products/product-page.ts";
import { renderingPolicies } from "../../services/edge/verification/limit-pages.ts";
import { fetchedImagesMax } from "../../services/notifier/images/image-fetcher.ts";
import { reportsPerDayMax, storeReportsPerDayMax } from "../../services/registry/certificates/report-limit.ts";
import { registryConfig } from "../../services/registry/config.ts";
import {
  sessionCallsMax,
  sessionCallsPerStoreMax,
  sessionChangesMax,
} from "../../services/registry/create-shedders.ts";
import { quarantinedBytesMax } from "../../services/registry/deliveries/quarantine.ts";
import { importsAtOnceMax } from "../../services/registry/imports/import-runner.ts";
import { partBytesMax, partsMax, rejectedLinesMax, unitsMax } from "../../services/registry/imports/imports.ts";
import { keptMessagesMax } from "../../services/registry/listening/listen-messages.ts";
import { listenTokensMax } from "../../services/registry/listening/listen-tokens.ts";
import { importsPerDayMax } from "../../services/registry/mongo/imports/mongo-imports.ts";
import { indexes } from "../../services/registry/mongo/opening/indexes.ts";
import { storefrontProductsMax } from "../../services/registry/mongo/storefront/mongo-storefront-products.ts";
import { rulesMax } from "../../services/registry/storefront/check-rules.ts";
import { certificatesPerOrderMax } from "../../services/registry/storefront/plan-order.ts";
import { failedMessagesMax } from "../../services/registry/storefront/receive-message.ts";
import { imageAttemptsMax, imageRequestsMax } from "../../services/registry/storefront/storefront-images.ts";
import { apiKeysMax } from "../../services/registry/stores/api-keys.ts";
import { productDisplaysMax } from "../../services/registry/stores/product-displays.ts";
import { logoBytesMax } from "../../services/registry/stores/set-logo.ts";
import { productImageBytesMax } from "../../services/registry/stores/set-product-display.ts";
import { triggersMax } from "../../services/registry/triggers/trigger.ts";
import { defaultRetention } from "../../services/registry/values/retention.ts";
import { files, tableRows, textOf } from "./repository.ts";

const growers = ["anyone", "merchants", "platform", "operators", "services"];
const outsiders = ["anyone", "merchants", "platform"];
const rows = tableRows("SECURITY.md", "collection").map(([collection = "", by = "", bound = "", alert = ""]) => {
  return { collection, by: by.split(", "), bound, alert };
});
const rules = files.filter((file) => file.endsWith(".rules.yaml")).map((file) => textOf(file));
const alerts = new Set(rules.flatMap((text) => Array.from(text.matchAll(/- alert: (\w+)/g), ([, name]) => name)));

/** The figures that the bound of a collection must state. */
const figures: Readonly<Record<string, readonly number[]>> = {
  access: [apiKeysMax],
  certificates: [certificatesPerOrderMax, importsPerDayMax, unitsMax],
  logos: [logoBytesMax / 1_024],
  imports: [importsPerDayMax],
  importParts: [partsMax, partBytesMax / 1_024],
  rejectedLines: [rejectedLinesMax],
  productDisplays: [productDisplaysMax, productImageBytesMax / 1_024],
  imageRequests: [imageRequestsMax],
  editionSeries: [rulesMax],
  history: [reportsPerDayMax],
  reports: [reportsPerDayMax, storeReportsPerDayMax],
  deliveries: [defaultRetention.deliveryLogDays],
  triggers: [triggersMax],
  triggerDeliveries: [defaultRetention.deliveryLogDays],
  listenTokens: [listenTokensMax],
  listenMessages: [keptMessagesMax],
  quarantine: [quarantinedBytesMax / 1_024, defaultRetention.quarantineDays],
  storefrontMessages: [defaultRetention.storefrontDays, failedMessagesMax],
  storefrontOrders: [linesMax, refundsMax, defaultRetention.storefrontDays],
  storefrontProducts: [storefrontProductsMax, tagsMax],
};

/** Returns the figures in a text, without a comma that follows one. */
function figuresIn(text: string): string[] {
  return Array.from(text.matchAll(/\d[\d,]*/g), ([figure]) => figure.replace(/,$/, ""));
}

function figuresOf(policy: BucketPolicy | undefined): number[] {
  return policy === undefined ? [] : [policy.capacity, policy.tokensPerSecond];
}

test("SECURITY.md lists every collection of the database once", () => {
  expect(rows.map(({ collection }) => collection).toSorted()).toEqual(Object.keys(indexes).toSorted());
});

describe.each(rows)("$collection", ({ collection, by, bound, alert }) => {
  test("names who can make it grow, and its bound", () => {
    expect(by.filter((grower) => !growers.includes(grower))).toEqual([]);
    expect(bound).not.toBe("");
  });

  test("has an existing alert if an outsider or a merchant can make it grow", () => {
    if (by.some((grower) => outsiders.includes(grower))) expect(alerts).toContain(alert);
    else if (alert !== "") expect(alerts).toContain(alert);
  });

  test("states the bounds that the code enforces", () => {
    expect(figuresIn(bound)).toEqual(
      expect.arrayContaining((figures[collection] ?? []).map((figure) => figure.toLocaleString("en"))),
    );
  });
});

const { rateLimit, listConcurrency, listConcurrencyPerStore } = registryConfig.schema.shape;
const byDefault = (variable: typeof rateLimit) => variable.parse(undefined);

/** The figures that a limit on shared time must state, for one client or store and in total. */
const sharedTime: Readonly<Record<string, readonly [number[], number[]]>> = {
  lists: [[rateLimit, listConcurrencyPerStore].map(byDefault), [byDefault(listConcurrency)]],
  "certificate pages that are not cached": [figuresOf(renderingPolicies[0]), []],
  "pages of the settings": [[...figuresOf(pagePolicy), preparedPages.inFlightPerStoreMax], [preparedPages.inFlightMax]],
  "calls in sessions that read": [[sessionCallsPerStoreMax], [sessionCallsMax]],
  "calls in sessions that change something": [[sessionCallsPerStoreMax], [sessionChangesMax]],
  "uploads of orders": [
    [uploadsMax.store, partEveryMs],
    [uploadsMax.all, anyPartEveryMs],
  ],
  imports: [[], [importsAtOnceMax]],
  "product's images of the storefront": [[imageRequestsMax, imageAttemptsMax], [fetchedImagesMax]],
  "listen requests": [[...figuresOf(listenPolicy), waitingListenersMax.token], [waitingListenersMax.all]],
};

test("SECURITY.md states what one client or store can use of the time that all share", () => {
  const stated = tableRows("SECURITY.md", "work").map(([work = "", ofOne = "", ofAll = ""]) => [
    work,
    [ofOne, ofAll].map(figuresIn),
  ]);
  expect(Object.fromEntries(stated)).toEqual(
    Object.fromEntries(
      Object.entries(sharedTime).map(([work, figures]) => [
        work,
        figures.map((ofEach) => expect.arrayContaining(ofEach.map((figure) => figure.toLocaleString("en")))),
      ]),
    ),
  );
});

test("SECURITY.md states the quotas of changes and messages that the table refers to", () => {
  const text = textOf("SECURITY.md").replaceAll(/\s+/g, " ");
  const [atOnce, perDay, messages] = [changesAtOnceMax, changesPerDayMax, messagesPerDayMax].map((one) =>
    one.toLocaleString("en"),
  );
  expect(text).toContain(`${atOnce} at once per store, then ${perDay} a day in each edge`);
  expect(text).toContain(`${messages} at once per store, then ${messages} a day in each edge`);
});

test("SECURITY.md states the sizes that the parsers accept", () => {
  const bounds = new Map(tableRows("SECURITY.md", "input").map(([input, , bound]) => [input, bound]));
  const sizes = [
    ["form with a file", uploadBytesMax],
    ["logo", logoFileBytesMax],
    ["product's image", productFileBytesMax],
    ["orders to import", importFileBytesMax],
    ["platform's message", messageBytesMax],
  ] as const;
  for (const [input, bytes] of sizes) expect(bounds.get(input)).toMatch(new RegExp(`^${bytes / 1_048_576} MiB`));
});
