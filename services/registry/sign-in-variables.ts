import { z } from "zod";
import { milliseconds } from "#shared/config/variable-types.ts";
import { normalBaseUrl } from "./stores/https-url.ts";

/** The URL of pages of the service, normalized; their paths are appended to it. */
export const baseUrl = z
  .url({ protocol: /^https?$/, error: "must be an http:// or https:// URL" })
  .transform(normalBaseUrl)
  .refine((url) => !/[?#]/.test(url), "must not contain a query or a fragment");

/** The registry's environment variables for the merchants' settings and for signing in to them. */
export const signInVariables = {
  settingsBaseUrl: baseUrl
    // The pages link to this path, and the session's cookie belongs to the whole host.
    .refine((url) => /^https?:\/\/[^/]+\/settings$/.test(url), "must be a host's /settings, without a path prefix")
    .optional()
    .describe("URL of the merchants' settings: /settings on a host; if unset, on the verification pages' host"),
  sessionLifeMs: milliseconds.default(7_200_000).describe("How long a merchant stays signed in to the settings"),
  platformSecretFile: z
    .string()
    .optional()
    .describe("File with the secret that verifies the storefront platform's session tokens (HS256)"),
  platformJwksUrl: z
    .url({ protocol: /^https$/, error: "must be an https:// URL" })
    .optional()
    .describe("URL of the keys (JWKS) that verify the storefront platform's session tokens (RS256)"),
  platformIssuer: z
    .string()
    .optional()
    .describe("Required iss claim of the platform's session tokens; {shop} stands for the store's domain"),
  platformAudience: z.string().optional().describe("Required aud claim of the platform's session tokens"),
};
