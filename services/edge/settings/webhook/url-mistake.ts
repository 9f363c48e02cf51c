import { reasonText } from "#shared/reasons/reason-text.ts";
import { textsFor } from "#shared/texts/texts.ts";
import type { Visit } from "../model/settings-page.ts";

/** Returns the error for a URL that is missing or that the registry refuses; the empty string for a valid URL. */
export async function urlMistake({ registry, language }: Visit, url: string): Promise<string> {
  if (url === "") return textsFor(language)("settings.words.required");
  const { problem } = await registry.stores.checkWebhookUrl({ url });
  return problem === undefined
    ? ""
    : `${textsFor(language)("settings.webhook.urlRefused")} ${reasonText(problem, language)}`;
}
