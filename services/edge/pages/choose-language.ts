import type { Language } from "#shared/texts/languages.ts";
import type { EdgeContext } from "../http/edge-context.ts";
import { supportedLanguage } from "./languages.ts";

/** Returns the supported language in the URL's `lang` parameter; undefined if the parameter has no such value. */
export function chosenLanguage(ctx: EdgeContext): Language | undefined {
  return supportedLanguage(new URLSearchParams(ctx.state.target.rawQuery).get("lang") ?? "");
}

/** Returns a visitor's language: from the URL, else the browser's first language that is supported, else English. */
export function visitorLanguage(ctx: EdgeContext): Language {
  const accepted = [ctx.acceptsLanguages()].flat();
  const preferred = accepted.map((tag) => supportedLanguage(String(tag))).find((language) => language !== undefined);
  return chosenLanguage(ctx) ?? preferred ?? "en";
}
