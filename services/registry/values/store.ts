import type { EditionStyle } from "#shared/certificates/edition.ts";
import type { OwnerDisplay } from "#shared/certificates/owner-text.ts";
import type { ImageReference } from "#shared/images/image.ts";

/** A store's plan; only `pro` includes the API (INTERFACE.md §5). */
export type Plan = "basic" | "pro";

/** The settings that appear in a store's certificates. */
export interface RenderSettings {
  readonly editionStyle: EditionStyle;
  /** Base URL of the verification pages, without a trailing slash. */
  readonly verifyBaseUrl: string;
  /** Language of the verification pages (RFC 5646); a stored one is kept even if it is no longer supported. */
  readonly language: string;
}

/** A store's settings as stored. */
export interface StoreSettings extends Omit<RenderSettings, "verifyBaseUrl"> {
  /** Null selects the base URL of the service's own verification pages. */
  readonly verifyBaseUrl: string | null;
  /** Name of the store on its pages. If null, its domain is shown. */
  readonly displayName: string | null;
  readonly ownerDisplay: OwnerDisplay;
  /** Shown on the store's verification pages. Null or absent if the store has no logo. */
  readonly logo?: ImageReference | null;
}

/** A store's identity and settings, without API keys or webhook secrets. */
export interface Store {
  readonly id: string;
  /** Domain on the storefront platform. */
  readonly shop: string;
  readonly settings: StoreSettings;
  readonly hasWebhook: boolean;
}

/** Returns the settings for rendering certificates; `serviceVerifyUrl` replaces a missing `verifyBaseUrl`. */
export function renderSettingsOf(store: Pick<Store, "settings">, serviceVerifyUrl: string): RenderSettings {
  return { ...store.settings, verifyBaseUrl: store.settings.verifyBaseUrl ?? serviceVerifyUrl };
}
