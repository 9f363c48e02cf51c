import type { Visit } from "../model/settings-page.ts";
import { reasonText } from "../reasons/reason-text.ts";
import { words } from "../words/texts.ts";
import { texts } from "./texts.ts";

/** Returns the error for a URL that is missing or that the registry refuses; the empty string for a valid URL. */
export async function urlMistake({ registry, language }: Visit, url: string): Promise<string> {
  if (url === "") return words[language].required;
  const { problem } = await registry.webhook.checkWebhookUrl({ url });
  return problem === "" ? "" : `${texts[language].urlRefused} ${reasonText(problem, language)}`;
}
