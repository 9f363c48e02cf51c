import type { StoreSettings } from "./store.ts";

/** The settings of a store that has changed none. */
export const settingsFixture = {
  editionStyle: "number_total",
  verifyBaseUrl: null,
  language: "en",
  displayName: null,
  ownerDisplay: "nothing",
} as const satisfies StoreSettings;
