import type { Visit } from "../model/settings-page.ts";
import { reasonText } from "../reasons/reason-text.ts";
import { words } from "../words/texts.ts";
import { texts } from "./texts.ts";

/** Returns why a URL in a form is wrong: missing, or refused by the registry. The empty string for a valid URL. */
export async function urlMistake({ registry, language }: Visit, url: string): Promise<string> {
  if (url === "") return words[language].required;
  const { problem } = await registry.webhook.checkWebhookUrl({ url });
  return problem === "" ? "" : `${texts[language].urlRefused} ${reasonText(problem, language)}`;
}
