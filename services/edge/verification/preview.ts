import type { Language } from "#shared/texts/languages.ts";
import type { EdgeContext } from "../http/edge-context.ts";

const parameter = "preview";

/** Returns the URL at which the store itself views a verification page: opening it is not recorded. */
export function previewUrl(verifyUrl: string): string {
  const url = new URL(verifyUrl);
  url.searchParams.set(parameter, "1");
  return url.href;
}

/** Returns whether a request is for a preview; see {@link previewUrl}. */
export function isPreview(ctx: EdgeContext): boolean {
  return new URLSearchParams(ctx.state.target.rawQuery).has(parameter);
}

/** Returns the query of the links between the pages of a certificate, such as `lang=de`. */
export function pageQuery(language: Language, preview: boolean): URLSearchParams {
  return new URLSearchParams({ lang: language, ...(preview && { [parameter]: "1" }) });
}
