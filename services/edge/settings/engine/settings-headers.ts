import { pageHeaders } from "../../pages/page-headers.ts";

/**
 * Returns the headers of every page of the settings. No cache may store the pages: they show personal data and secrets.
 *
 * @param frameAncestors origins that may embed the settings, such as `https://admin.example`; none if empty
 */
export function settingsHeaders(frameAncestors: readonly string[]): Readonly<Record<string, string>> {
  const ancestors = frameAncestors.length === 0 ? "'none'" : frameAncestors.join(" ");
  const policy = pageHeaders["Content-Security-Policy"].replace(
    "frame-ancestors 'none'",
    `frame-ancestors ${ancestors}`,
  );
  return { ...pageHeaders, "Content-Security-Policy": policy, "Cache-Control": "no-store" };
}
