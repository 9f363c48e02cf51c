/** A request target in its two parts, still percent-encoded. */
export interface RequestTarget {
  /** Begins with a slash and holds only characters that a URI may hold: no URL parser throws on it. */
  readonly path: string;
  /** What follows the first question mark, as it came; empty when there is none. */
  readonly rawQuery: string;
}

/**
 * Splits a request target (RFC 9112 §3.2). Accepts any text: Node lets through targets on which URL parsers throw.
 *
 * @param target `request.url` of node:http: origin form, absolute form (as sent to proxies) or `*`
 */
export function parseRequestTarget(target: string): RequestTarget {
  const local = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "");
  const mark = local.indexOf("?");
  const path = mark < 0 ? local : local.slice(0, mark);
  return {
    path: (path.startsWith("/") ? path : `/${path}`).replace(/[^\x21-\x7e]|#/g, "%23"),
    rawQuery: mark < 0 ? "" : local.slice(mark + 1),
  };
}
