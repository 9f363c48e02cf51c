import type { EdgeMiddleware } from "../http/edge-context.ts";
import { sendRendition } from "../http/rendition.ts";
import { chosenLanguage } from "../pages/choose-language.ts";
import { supportedLanguage } from "../pages/messages/languages.ts";
import type { PageCache } from "./page-cache.ts";
import { linkTokenOf, networksOf } from "./page-request.ts";
import { isPreview } from "./preview.ts";

/** Shows the verification page of a link (GET and HEAD). Changes no data. */
export function showPage(pages: Pick<PageCache, "rendition">): EdgeMiddleware {
  return async (ctx) => {
    const languageOf = (stored: string) => chosenLanguage(ctx) ?? supportedLanguage(stored) ?? "en";
    const rendition = await pages.rendition(linkTokenOf(ctx), networksOf(ctx), languageOf, isPreview(ctx));
    sendRendition(ctx, rendition);
  };
}
