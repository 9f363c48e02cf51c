import type { IncomingHttpHeaders } from "node:http";
import { badRequest } from "#shared/errors/service-error.ts";
import type { EdgeContext } from "../http/edge-context.ts";

/**
 * Returns the entries of a form.
 *
 * @throws ServiceError `bad_request` unless it was sent from the same origin; or the error with which it was received
 */
export async function sameOriginForm(ctx: EdgeContext): Promise<URLSearchParams> {
  const { form } = ctx.state;
  if (form === undefined || !isSameOrigin(ctx.headers))
    throw badRequest("form", "is missing, or was sent from another origin");
  return form;
}

/**
 * Returns whether a page of the same origin sent the request. Browsers that do not send `Sec-Fetch-Site` state in
 * `Origin` which site sent a form. True if the client sends neither header, because then it is not a browser.
 *
 * The host is compared with that of the client's own request, which a proxy passes on in `X-Forwarded-Host` if it
 * changes `Host`; pages of other sites cannot set these headers.
 */
export function isSameOrigin(headers: IncomingHttpHeaders): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin";
  const { origin, host, "x-forwarded-host": forwarded } = headers;
  if (origin === undefined) return true;
  return [host, forwarded].flat().some((name) => name !== undefined && isHostOf(name, origin));
}

// The scheme is the origin's: behind a proxy that terminates TLS, the request's own is unknown.
function isHostOf(host: string, origin: string): boolean {
  const scheme = /^https?:\/\//.exec(origin)?.[0];
  if (scheme === undefined || !URL.canParse(origin) || !URL.canParse(scheme + host)) return false;
  return new URL(scheme + host).host === new URL(origin).host;
}
