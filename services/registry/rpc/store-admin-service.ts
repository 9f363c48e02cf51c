import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { WebhookFormat } from "#gen/registry/v1/notifier_service_pb.js";
import { EditionStyle, type StoreAdminService } from "#gen/registry/v1/store_admin_service_pb.js";
import { badRequest } from "#shared/errors/service-error.ts";
import type { ApiKeys } from "../stores/api-keys.ts";
import { createStore } from "../stores/create-store.ts";
import { putProducts } from "../stores/put-products.ts";
import { rotateWebhookSecret } from "../stores/rotate-webhook-secret.ts";
import { type SetWebhookDeps, setWebhook } from "../stores/set-webhook.ts";
import type { StoreDirectory, StoreRecord } from "../stores/store-directory.ts";
import { updateSettings } from "../stores/update-settings.ts";
import type { WebhookSettings } from "../stores/webhooks.ts";
import { apiKeyCalls } from "./api-key-calls.ts";
import { checkCount } from "./check-count.ts";
import {
  editionStyleNames,
  planNames,
  rotationStepNames,
  secretRoleNames,
  webhookFormatNames,
} from "./store-enums.ts";

const productsMax = 250;
const storesMax = 100;
const storesDefault = 50;
const resealMax = 500;
const resealDefault = 100;

/** What {@link storeAdminService} works with. */
export interface StoreAdminDeps extends SetWebhookDeps {
  readonly stores: StoreDirectory;
  readonly apiKeys: ApiKeys;
}

/** StoreAdminService over the domain. */
export function storeAdminService(deps: StoreAdminDeps): ServiceImpl<typeof StoreAdminService> {
  const { stores, webhooks } = deps;
  return {
    async createStore({ shop, plan, editionStyle, verifyBaseUrl, language }) {
      const store = await createStore(stores, {
        shop,
        plan: planNames.nameOf(plan, "plan"),
        editionStyle: editionStyleNames.nameOf(editionStyle || EditionStyle.NUMBER_TOTAL, "edition_style"),
        verifyBaseUrl,
        language,
      });
      return { store: storeMessage(store) };
    },

    async getStore({ by }) {
      if (by.case === undefined) throw badRequest("by", "is missing: give a store_id or a shop");
      const selector = by.case === "shop" ? { shop: by.value } : { storeId: by.value };
      return { store: storeMessage(await stores.findStore(selector)) };
    },

    async listStores({ afterShop, limit }) {
      if (limit > storesMax) throw badRequest("limit", `is over ${storesMax}`);
      const found = await stores.listStores(afterShop, limit || storesDefault);
      return { stores: found.map(storeMessage) };
    },

    async setPlan({ storeId, plan }) {
      await stores.setPlan(storeId, planNames.nameOf(plan, "plan"));
      return {};
    },

    async updateSettings({ storeId, editionStyle, verifyBaseUrl, language }) {
      const given = {
        ...(editionStyle === EditionStyle.UNSPECIFIED
          ? {}
          : { editionStyle: editionStyleNames.nameOf(editionStyle, "edition_style") }),
        ...(verifyBaseUrl === undefined ? {} : { verifyBaseUrl }),
        ...(language === undefined ? {} : { language }),
      };
      return { store: storeMessage(await updateSettings(stores, storeId, given)) };
    },

    async setWebhook({ storeId, url, format, createSecret }) {
      const name = format === WebhookFormat.UNSPECIFIED ? null : webhookFormatNames.nameOf(format, "format");
      const set = await setWebhook(deps, { storeId, url, format: name, createSecret });
      const { secret, replacedSecret, webhook } = set;
      return { secret, replacedSecret, ...(webhook && { webhook: webhookMessage(webhook) }) };
    },

    async getWebhook({ storeId }) {
      const webhook = await webhooks.find(storeId);
      return webhook === null ? {} : { webhook: webhookMessage(webhook) };
    },

    async rotateWebhookSecret({ storeId, step }) {
      const kind = rotationStepNames.nameOf(step, "step");
      const { secret, webhook } = await rotateWebhookSecret(webhooks, storeId, kind);
      return { secret, webhook: webhookMessage(webhook) };
    },

    async resealSecrets({ afterStoreId, limit }) {
      if (limit > resealMax) throw badRequest("limit", `is over ${resealMax}`);
      const report = await webhooks.resealSecrets(afterStoreId, limit || resealDefault);
      const { lastStoreId, resealedCount, unreadable } = report;
      return { lastStoreId: lastStoreId ?? "", resealedCount, unreadableStoreIds: [...unreadable] };
    },

    ...apiKeyCalls(deps.apiKeys),

    async putProducts({ storeId, products }) {
      checkCount("products", products.length, productsMax);
      await putProducts(
        stores,
        storeId,
        products.map(({ id, title, variants, editionTotal }) => ({
          id,
          title,
          variants: variants.map((variant) => ({ sku: variant.sku, title: variant.title })),
          editionTotal: editionTotal === 0 ? null : editionTotal,
        })),
      );
      return {};
    },
  };
}

function storeMessage({ id, shop, plan, settings }: StoreRecord) {
  return {
    id,
    shop,
    plan: planNames.valueOf(plan),
    editionStyle: editionStyleNames.valueOf(settings.editionStyle),
    verifyBaseUrl: settings.verifyBaseUrl ?? "",
    language: settings.language,
  };
}

function webhookMessage({ url, format, secrets }: WebhookSettings) {
  return {
    url,
    format: webhookFormatNames.valueOf(format),
    secrets: secrets.map(({ role, createdAt }) => ({
      role: secretRoleNames.valueOf(role),
      ...(createdAt && { createdAt: timestampFromDate(createdAt) }),
    })),
  };
}
