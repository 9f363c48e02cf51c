import { createRouterTransport } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { createClients } from "#shared/rpc/create-clients.ts";
import { settingsServices } from "../../registry-client/settings-services.ts";
import { SettingsForm } from "./form.ts";

/** Renders the version in a form that was sent with version 3 and refused for a field; the current version is 4. */
function versionAfter(field: string): string {
  const form = new SettingsForm(
    {
      language: "en",
      now: new Date("2026-11-24T10:00:00Z"),
      params: {},
      query: new URLSearchParams(),
      formToken: "",
      session: { shop: "shop.example.test", storeName: "Shop", storeLanguage: "en", actor: "Ada" },
      registry: createClients(
        settingsServices,
        createRouterTransport(() => undefined),
      ),
      refused: {
        action: "change",
        scope: "",
        entries: new URLSearchParams({ version: "3" }),
        mistakes: [{ field, text: "" }],
        labels: new Map(),
      },
    },
    "change",
  );
  return String(form.version("version", 4));
}

test("a refused form keeps the version of its entries, unless that version was the reason", () => {
  expect(versionAfter("days")).toContain('value="3"');
  expect(versionAfter("version")).toContain('value="4"');
});
