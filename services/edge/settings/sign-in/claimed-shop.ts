import { parseJson } from "#shared/text/parse-json.ts";

const hostName = /^[a-z0-9.-]{1,253}$/;

/**
 * Returns the domain of the store that a session token (JWT) of the storefront platform names; undefined if the token
 * names none. The signature is not checked here: the registry refuses a forged token when the form is sent.
 */
export function claimedShop(token: string): string | undefined {
  const dest = claimsOf(token).dest;
  if (typeof dest !== "string" || !URL.canParse(dest)) return undefined;
  const { hostname } = new URL(dest);
  return hostName.test(hostname) ? hostname : undefined;
}

function claimsOf(token: string): { readonly dest?: unknown } {
  const claims = parseJson(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
  return typeof claims === "object" && claims !== null ? claims : {};
}
