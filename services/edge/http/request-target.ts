/** A request target, split into path and query. */
export interface RequestTarget {
  /** Begins with a slash; each `#` and each character other than visible ASCII is replaced by `%23`. */
  readonly path: string;
  /** The text after the first question mark, unchanged; the empty string if the target has no question mark. */
  readonly rawQuery: string;
}

/**
 * Splits a request target (RFC 9112 §3.2). Accepts any string, because Node accepts targets that URL parsers reject.
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
