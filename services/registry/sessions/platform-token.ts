import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from "jose";
import { ServiceError } from "#shared/errors/service-error.ts";
import { platformLeadMaxMs } from "../values/platform-lead.ts";

/** How the storefront platform signs its session tokens. */
export type PlatformSignature =
  | { readonly kind: "hs256"; readonly secret: Uint8Array }
  | { readonly kind: "rs256"; readonly jwksUrl: URL };

/** The signature and the claims that the registry requires in the storefront platform's session tokens. */
interface PlatformTokenPolicy {
  readonly signature: PlatformSignature;
  /** The token's `iss`; `{shop}` stands for the store's domain. */
  readonly issuer: string;
  /** The token's `aud`. */
  readonly audience: string;
}

/** The content of a verified token. */
interface PlatformToken {
  /** Domain of the store. */
  readonly shop: string;
  /** Id of the user on the platform. */
  readonly user: string;
  /** Distinguishes the token from all others of its issuer. */
  readonly id: string;
  readonly issuer: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/** Verifies a session token of the platform. @returns undefined for a token that is not valid */
export type VerifyPlatformToken = (token: string, now: Date) => Promise<PlatformToken | undefined>;

const clockToleranceSeconds = platformLeadMaxMs / 1_000;
const lifeMaxSeconds = 300;
const tokenCharactersMax = 8_192;

/**
 * Creates a verifier of the platform's session tokens (JWT, RFC 7519). A token must contain the URL of the store in
 * `dest`, and `jti`, `sub`, `exp` and `iat`; it may be valid for at most five minutes, and may have been issued at most
 * ten seconds in the future, because the platform's clock may be ahead. The verifier throws ServiceError
 * `unavailable` when the platform's keys cannot be read.
 */
export function createPlatformVerifier({ signature, issuer, audience }: PlatformTokenPolicy): VerifyPlatformToken {
  const verify = verifierOf(signature);
  return async (token, now) => {
    if (token.length > tokenCharactersMax) return undefined;
    try {
      const { payload } = await verify(token, {
        audience,
        currentDate: now,
        clockTolerance: clockToleranceSeconds,
        requiredClaims: ["iss", "sub", "jti", "dest", "exp", "iat"],
      });
      // jose checks `iat` only together with a maximum age.
      if ((payload.iat ?? 0) * 1_000 > now.getTime() + platformLeadMaxMs) return undefined;
      return contentOf(payload, issuer);
    } catch (error) {
      if (isFaultOfToken(error)) return undefined;
      throw new ServiceError("unavailable", "Sign-in through the platform is unavailable. Try again shortly.", {
        cause: error,
      });
    }
  };
}

function verifierOf(signature: PlatformSignature) {
  if (signature.kind === "hs256") {
    return (token: string, options: JWTVerifyOptions) =>
      jwtVerify(token, signature.secret, { ...options, algorithms: ["HS256"] });
  }
  const keys = createRemoteJWKSet(signature.jwksUrl);
  return (token: string, options: JWTVerifyOptions) => jwtVerify(token, keys, { ...options, algorithms: ["RS256"] });
}

function contentOf(payload: JWTPayload, issuerPattern: string): PlatformToken | undefined {
  const { iss = "", sub = "", jti = "", exp = 0, iat = 0, dest } = payload;
  const shop = typeof dest === "string" && URL.canParse(dest) ? new URL(dest).hostname : "";
  const isComplete = shop !== "" && sub !== "" && jti !== "" && exp - iat <= lifeMaxSeconds;
  if (!isComplete || iss !== issuerPattern.replaceAll("{shop}", shop)) return undefined;
  const issuedAt = new Date(iat * 1_000);
  return {
    shop,
    user: sub,
    id: jti,
    issuer: iss,
    issuedAt,
    expiresAt: new Date((exp + clockToleranceSeconds) * 1_000),
  };
}

// jose's error codes for keys that could not be read. Errors from outside jose, such as network errors, mean the same.
const keyFaults = ["ERR_JWKS_TIMEOUT", "ERR_JWKS_INVALID", "ERR_JOSE_GENERIC"];

function isFaultOfToken(error: unknown): boolean {
  return error instanceof errors.JOSEError && !keyFaults.includes(error.code);
}
