import { throwTogether } from "#shared/config/check-together.ts";
import { ConfigError } from "#shared/config/config-error.ts";
import { readSecretText } from "#shared/keys/secret-text.ts";
import type { RegistryConfig } from "./config.ts";
import { createPlatformVerifier, type PlatformSignature, type VerifyPlatformToken } from "./sessions/platform-token.ts";

type SignInConfig = Pick<
  RegistryConfig,
  "platformSecretFile" | "platformJwksUrl" | "platformIssuer" | "platformAudience"
>;

/** Returns the base URL of the settings pages for merchants. */
export function settingsUrlOf({
  settingsBaseUrl,
  verifyBaseUrl,
}: Pick<RegistryConfig, "settingsBaseUrl" | "verifyBaseUrl">): string {
  return settingsBaseUrl ?? new URL("/settings", verifyBaseUrl).href;
}

/**
 * Creates the verifier of the storefront platform's session tokens.
 *
 * @returns undefined if no platform is configured
 * @throws ConfigError for an incomplete or contradictory configuration, or an unusable secret
 */
export function platformVerifierOf(config: SignInConfig): VerifyPlatformToken | undefined {
  const { platformSecretFile, platformJwksUrl, platformIssuer: issuer, platformAudience: audience } = config;
  const settings = [platformSecretFile, platformJwksUrl, issuer, audience];
  if (settings.every((setting) => setting === undefined)) return undefined;
  const signature = () => signatureOf(platformSecretFile, platformJwksUrl);
  if (issuer !== undefined && audience !== undefined)
    return createPlatformVerifier({ signature: signature(), issuer, audience });
  const incomplete = new ConfigError(
    "Set both REGISTRY_PLATFORM_ISSUER and REGISTRY_PLATFORM_AUDIENCE, or unset all REGISTRY_PLATFORM_* variables.",
  );
  throwTogether(incomplete, [signature]);
}

function signatureOf(secretFile: string | undefined, jwksUrl: string | undefined): PlatformSignature {
  if (secretFile !== undefined && jwksUrl === undefined)
    return { kind: "hs256", secret: readSecretText("REGISTRY_PLATFORM_SECRET_FILE", secretFile) };
  if (secretFile === undefined && jwksUrl !== undefined) return { kind: "rs256", jwksUrl: new URL(jwksUrl) };
  throw new ConfigError("Set either REGISTRY_PLATFORM_SECRET_FILE or REGISTRY_PLATFORM_JWKS_URL, not both.");
}
