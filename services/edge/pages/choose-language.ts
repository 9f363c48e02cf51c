import type { EdgeContext } from "../http/edge-context.ts";
import { type Language, supportedLanguage } from "./messages/languages.ts";

/** Returns the language that the visitor chose: the `lang` parameter; undefined without a supported one. */
export function chosenLanguage(ctx: EdgeContext): Language | undefined {
  return supportedLanguage(new URLSearchParams(ctx.state.target.rawQuery).get("lang") ?? "");
}

/** Returns the language for a page that belongs to no store: the chosen one, or the browser's first supported one. */
export function visitorLanguage(ctx: EdgeContext): Language {
  const accepted = [ctx.acceptsLanguages()].flat();
  const preferred = accepted.map((tag) => supportedLanguage(String(tag))).find((language) => language !== undefined);
  return chosenLanguage(ctx) ?? preferred ?? "en";
}
