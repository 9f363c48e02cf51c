import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  EditionStyle,
  OwnerDisplay,
  Plan,
  RotationStep,
  StoreAdminService,
} from "#gen/registry/v1/store_admin_service_pb.js";
import { reasonMessage } from "#shared/rpc/reason-messages.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { ListenTokens } from "../listening/listen-tokens.ts";
import type { SealedSecrets } from "../secrets/sealed-secrets.ts";
import { createSettingsLink } from "../sessions/create-settings-link.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { ApiKeys } from "../stores/api-keys.ts";
import { rotateWebhookSecret, type SetWebhookDeps, setWebhook, webhookUrlProblem } from "../stores/change-webhook.ts";
import { createStore } from "../stores/create-store.ts";
import type { ProductDisplays } from "../stores/product-displays.ts";
import { putProducts } from "../stores/put-products.ts";
import { setLogo } from "../stores/set-logo.ts";
import { setProductDisplay } from "../stores/set-product-display.ts";
import { updateSettings } from "../stores/settings.ts";
import type { StoreDirectory, StoreRecord } from "../stores/store-directory.ts";
import { type WebhookSettings, webhookVersion } from "../stores/webhooks.ts";
import type { ProductDisplay } from "../values/product-display.ts";
import { actorOf } from "./actor.ts";
import { apiKeyCalls } from "./api-key-calls.ts";
import { requireMayCreate, storeAndActorOf, storeOf } from "./call-scope.ts";
import { enumNames } from "./enum-names.ts";
import { editionStyleNames, secretRoleNames, webhookFormatNames } from "./enum-tables.ts";
import { listenTokenCalls } from "./listen-token-calls.ts";
import { type OfferedService, offer } from "./offered-service.ts";
import { checkCount, pageSize } from "./request-limits.ts";

const maxProducts = 250;

const planNames = enumNames(Plan);

const ownerDisplayNames = enumNames(OwnerDisplay);

const rotationStepNames = enumNames(RotationStep);

interface StoreAdminDeps extends SetWebhookDeps {
  readonly stores: StoreDirectory;
  readonly displays: ProductDisplays;
  readonly apiKeys: ApiKeys;
  readonly listenTokens: ListenTokens;
  readonly sealedSecrets: SealedSecrets;
  readonly sessions: Pick<Sessions, "addLink" | "revokeAll">;
  /** Base URL of the settings, without a trailing slash. */
  readonly settingsUrl: string;
  /** Follows the database's clock, because other replicas compare when links and tokens expire. */
  readonly clock: Clock;
}

/** Implements StoreAdminService: translates between its messages and the domain. */
export function storeAdminService(deps: StoreAdminDeps): OfferedService {
  const { stores, displays, webhooks } = deps;
  return offer(StoreAdminService, {
    async createStore({ plan, editionStyle, ownerDisplay, ...input }, context) {
      requireMayCreate(context, input.shop);
      const store = await createStore(stores, {
        ...input,
        plan: planNames.nameOf(plan, "plan"),
        editionStyle: editionStyleNames.nameOf(editionStyle || EditionStyle.NUMBER_TOTAL, "edition_style"),
        ownerDisplay: ownerDisplayNames.nameOf(ownerDisplay || OwnerDisplay.NOTHING, "owner_display"),
        actor: actorOf(context),
      });
      return { store: storeMessage(store) };
    },

    async getStore(_request, context) {
      return { store: storeMessage(await stores.findStore({ storeId: storeOf(context) })) };
    },

    async listStores({ afterShop, limit }) {
      const found = await stores.listStores(afterShop, pageSize(limit));
      return { stores: found.map(storeMessage) };
    },

    async setPlan({ plan: value }, context) {
      const { storeId, actor } = storeAndActorOf(context);
      const plan = planNames.nameOf(value, "plan");
      await stores.setPlan(storeId, plan, { action: "plan.set", actor, details: { plan } });
      return {};
    },

    async updateSettings({ editionStyle, ownerDisplay, expectedVersion, ...request }, context) {
      const settings = {
        verifyBaseUrl: request.verifyBaseUrl,
        language: request.language,
        displayName: request.displayName,
        editionStyle: editionStyleNames.nameIfSet(editionStyle, "edition_style"),
        ownerDisplay: ownerDisplayNames.nameIfSet(ownerDisplay, "owner_display"),
      };
      const { storeId, actor } = storeAndActorOf(context);
      return { store: storeMessage(await updateSettings(stores, storeId, settings, { actor, expectedVersion })) };
    },

    async setWebhook({ url, format: value, createSecret, expectedVersion }, context) {
      const format = webhookFormatNames.nameIfSet(value, "format") ?? null;
      const request = { url, format, createSecret, expectedVersion, ...storeAndActorOf(context) };
      const { webhook, ...report } = await setWebhook(deps, request);
      return { ...report, ...(webhook && { webhook: webhookMessage(webhook) }) };
    },

    async setLogo(request, context) {
      return { store: storeMessage(await setLogo(stores, { ...request, ...storeAndActorOf(context) })) };
    },

    checkWebhookUrl({ url }) {
      return { problem: reasonMessage(webhookUrlProblem(deps.guard, url)) };
    },

    async getWebhook(_request, context) {
      const webhook = await webhooks.find(storeOf(context));
      return webhook === null ? {} : { webhook: webhookMessage(webhook) };
    },

    async rotateWebhookSecret({ step }, context) {
      const kind = rotationStepNames.nameOf(step, "step");
      const { secret, webhook } = await rotateWebhookSecret(webhooks, { kind, ...storeAndActorOf(context) });
      return { secret, webhook: webhookMessage(webhook) };
    },

    async resealSecrets({ afterStoreId, limit }, context) {
      const countMax = pageSize(limit, { max: 500, byDefault: 100 });
      const report = await deps.sealedSecrets.reseal(afterStoreId, countMax, actorOf(context));
      const { lastStoreId, resealed, unreadable } = report;
      return { lastStoreId: lastStoreId ?? "", resealedCount: resealed.size, unreadableStoreIds: [...unreadable] };
    },

    ...apiKeyCalls(deps.apiKeys),
    ...listenTokenCalls(deps.listenTokens, deps.clock),

    async putProducts({ products }, context) {
      const { storeId, actor } = storeAndActorOf(context);
      checkCount("products", products.length, maxProducts);
      await putProducts(
        stores,
        storeId,
        products.map(({ id, title, variants, editionTotal }) => ({
          id,
          title,
          variants: variants.map((variant) => ({ sku: variant.sku, title: variant.title })),
          editionTotal: editionTotal === 0 ? null : editionTotal,
        })),
        actor,
      );
      return {};
    },

    async listProducts({ afterProductId, limit }, context) {
      const products = await displays.list(storeOf(context), afterProductId, pageSize(limit));
      return { products: products.map(productMessage) };
    },

    async getProduct({ productId }, context) {
      return { product: productMessage(await displays.find(storeOf(context), productId)) };
    },

    async setProductDisplay(request, context) {
      const { productId, title, maker, image, width, height } = request;
      const display = { productId, title, maker, image, width, height, ...storeAndActorOf(context) };
      return { product: productMessage(await setProductDisplay(displays, display)) };
    },

    async createSettingsLink({ actor }, context) {
      const { storeId, actor: createdBy } = storeAndActorOf(context);
      const { url, expiresAt } = await createSettingsLink(deps, { storeId, actor, createdBy });
      return { url, expiresAt: timestampFromDate(expiresAt) };
    },

    async revokeSessions(_request, context) {
      const { storeId, actor } = storeAndActorOf(context);
      return { revokedCount: await deps.sessions.revokeAll(storeId, actor) };
    },
  });
}

function storeMessage({ id, shop, plan, settings, settingsVersion }: StoreRecord) {
  return {
    id,
    shop,
    settingsVersion,
    plan: planNames.valueOf(plan),
    editionStyle: editionStyleNames.valueOf(settings.editionStyle),
    verifyBaseUrl: settings.verifyBaseUrl ?? "",
    language: settings.language,
    displayName: settings.displayName ?? "",
    ownerDisplay: ownerDisplayNames.valueOf(settings.ownerDisplay),
    ...(settings.logo && { logo: settings.logo }),
  };
}

function productMessage({ image, ...product }: ProductDisplay) {
  return { ...product, ...(image && { image }) };
}

function webhookMessage(webhook: WebhookSettings) {
  const { url, format, secrets } = webhook;
  return {
    url,
    format: webhookFormatNames.valueOf(format),
    version: webhookVersion(webhook),
    secrets: secrets.map(({ role, createdAt }) => ({
      role: secretRoleNames.valueOf(role),
      createdAt: timestampFromDate(createdAt),
    })),
  };
}
