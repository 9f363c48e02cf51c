import type { EdgeContext } from "../http/edge-context.ts";
import { type Language, supportedLanguage } from "./messages/languages.ts";

/** Returns the language in the `lang` parameter of the URL; undefined if it is missing or not supported. */
export function chosenLanguage(ctx: EdgeContext): Language | undefined {
  return supportedLanguage(new URLSearchParams(ctx.state.target.rawQuery).get("lang") ?? "");
}

/** Returns the language for a visitor: that of the URL, or the browser's first supported one, or English. */
export function visitorLanguage(ctx: EdgeContext): Language {
  const accepted = [ctx.acceptsLanguages()].flat();
  const preferred = accepted.map((tag) => supportedLanguage(String(tag))).find((language) => language !== undefined);
  return chosenLanguage(ctx) ?? preferred ?? "en";
}
