import { commaSeparated } from "../config/variable-types.ts";
import { type Reason, reason } from "../reasons/reason.ts";

/**
 * Domains that exist only inside a network or a cluster, according to RFC 6761, RFC 6762 (with its appendix G),
 * RFC 8375, ICANN (`.internal`), Kubernetes (`svc`) or, for `localdomain`, convention.
 */
const internalDomains = "localhost localdomain local internal intranet private corp home home.arpa lan svc".split(" ");

/** Returns a host name without its optional trailing dot. */
export function withoutFinalDot(hostname: string): string {
  return hostname.replace(/\.$/, "");
}

/**
 * Checks the syntax of a DNS name (RFC 1035, with underscores; no top-level domain begins with a digit).
 *
 * @param name in lower case, without a trailing dot
 * @returns why the name is invalid; undefined for a valid name
 */
export function hostNameProblem(name: string): Reason | undefined {
  if (name.length > 253 || !/^([a-z0-9_-]{1,63}\.)*[a-z-][a-z0-9-]{0,62}$/.test(name))
    return reason("url_host_invalid");
  const hasOuterHyphen = name.split(".").some((label) => label.startsWith("-") || label.endsWith("-"));
  return hasOuterHyphen ? reason("url_host_hyphen") : undefined;
}

/**
 * Checks that a host name can exist in the public DNS.
 *
 * @param name in lower case, without a trailing dot
 * @returns why the name cannot exist there; undefined for a public name
 */
export function internalNameProblem(name: string): Reason | undefined {
  const domain = internalDomains.find((known) => name === known || name.endsWith(`.${known}`));
  if (domain !== undefined) return reason("url_host_internal", { domain });
  return name.includes(".") ? undefined : reason("url_host_without_domain");
}

/**
 * Returns whether a pattern matches the name.
 *
 * @param patterns host names, or suffixes that begin with a dot
 */
export function matchesHostPattern(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => (pattern.startsWith(".") ? name.endsWith(pattern) : name === pattern));
}

/** Configuration type: comma-separated host names and suffixes, converted to lower case without trailing dots. */
export const hostList = commaSeparated
  .transform((entries) => entries.map((entry) => withoutFinalDot(entry.toLowerCase())))
  .refine(
    (entries) => entries.every((entry) => hostNameProblem(entry.replace(/^\./, "")) === undefined),
    "must list host names, or suffixes such as .corp.internal",
  );
