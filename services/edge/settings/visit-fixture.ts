import { type ConnectRouter, createRouterTransport } from "@connectrpc/connect";
import { createClients } from "#shared/rpc/create-clients.ts";
import { textsFor } from "#shared/texts/texts.ts";
import { settingsServices } from "../registry-client/settings-services.ts";
import type { Visit } from "./model/settings-page.ts";

/**
 * Creates a visit of a page in English.
 *
 * @param answers sets the methods of the registry that the page calls; default: none
 * @param given what differs
 */
export function visitFixture(
  answers: (router: ConnectRouter) => void = () => undefined,
  given: Partial<Pick<Visit, "clientSignal" | "language" | "now" | "params" | "query" | "refused">> = {},
): Visit {
  return {
    language: "en",
    text: textsFor(given.language ?? "en"),
    now: new Date("2026-11-24T10:00:00Z"),
    clientSignal: new AbortController().signal,
    params: {},
    query: new URLSearchParams(),
    formToken: "",
    session: { shop: "shop.example.test", storeName: "Shop", storeLanguage: "en", actor: "Ada" },
    registry: createClients(settingsServices, createRouterTransport(answers)),
    ...given,
  };
}
