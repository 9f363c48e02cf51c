const hostName = /^[a-z0-9.-]{1,253}$/;

/**
 * Returns the domain of the store that a session token of the platform (JWT) names; undefined if it names none. The
 * signature is not checked: the registry does so when the form is sent, and refuses a token with a false claim.
 */
export function claimedShop(token: string): string | undefined {
  const dest = claimsOf(token).dest;
  if (typeof dest !== "string" || !URL.canParse(dest)) return undefined;
  const { hostname } = new URL(dest);
  return hostName.test(hostname) ? hostname : undefined;
}

function claimsOf(token: string): { readonly dest?: unknown } {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
    return typeof claims === "object" && claims !== null ? claims : {};
  } catch {
    return {};
  }
}
