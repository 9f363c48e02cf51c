import type { RenderSettings } from "../certificates/public-json.ts";
import type { OtherRole } from "./rotate-secrets.ts";

/** A store's plan; only `pro` may use the API (INTERFACE.md §5). */
export type Plan = "basic" | "pro";

/** How a webhook message looks (INTERFACE.md §9). */
export type WebhookFormat = "v1" | "v2";

/** Where a store's events are sent (INTERFACE.md §4.3), and what they are signed with. */
export interface Webhook {
  /** An https:// URL. */
  readonly url: string;
  readonly format: WebhookFormat;
  /** The active signing secret, or null when messages are not signed. */
  readonly secret: string | null;
  /** The other live secret; null while no rotation is under way. */
  readonly otherSecret: { readonly role: OtherRole; readonly secret: string } | null;
}

/** A store's settings that show in its certificates; no `verifyBaseUrl` of its own means the service's address. */
export interface StoreSettings extends Omit<RenderSettings, "verifyBaseUrl"> {
  readonly verifyBaseUrl: string | null;
}

/** A store as the domain sees it. */
export interface Store {
  readonly id: string;
  /** Its domain on the storefront platform. */
  readonly shop: string;
  readonly settings: StoreSettings;
  readonly hasWebhook: boolean;
}

/** The settings to render with. @param serviceVerifyUrl the service's own verification address */
export function renderSettingsOf(store: Pick<Store, "settings">, serviceVerifyUrl: string): RenderSettings {
  return { ...store.settings, verifyBaseUrl: store.settings.verifyBaseUrl ?? serviceVerifyUrl };
}
