import { expect, test } from "vitest";
import { ConfigError } from "#shared/config/config-error.ts";
import { platformVerifierOf } from "./sign-in-config.ts";

const names = { platformIssuer: "https://platform.example.test", platformAudience: "app" };
const platformJwksUrl = "https://platform.example.test/keys";
const either = "Set either REGISTRY_PLATFORM_SECRET_FILE or REGISTRY_PLATFORM_JWKS_URL, not both";
const both =
  "Set both REGISTRY_PLATFORM_ISSUER and REGISTRY_PLATFORM_AUDIENCE, or unset all REGISTRY_PLATFORM_* variables";
const config = (settings: Partial<Parameters<typeof platformVerifierOf>[0]>) =>
  platformVerifierOf({
    platformSecretFile: undefined,
    platformJwksUrl: undefined,
    platformIssuer: undefined,
    platformAudience: undefined,
    ...settings,
  });

test("accepts no platform, and one way to verify its tokens", () => {
  expect(config({})).toBeUndefined();
  expect(config({ ...names, platformJwksUrl })).toBeDefined();
});

test.each([
  ["no way to verify tokens", names, `${either}.`],
  ["two ways to verify tokens", { ...names, platformSecretFile: "/nowhere", platformJwksUrl }, `${either}.`],
  ["no audience", { platformIssuer: "a", platformJwksUrl }, `${both}.`],
  [
    "no audience and no way to verify tokens",
    { platformIssuer: "a" },
    `The configuration is invalid. ${both}; ${either}`,
  ],
])("refuses %s", (_case, settings, message) => {
  expect(() => config(settings)).toThrow(new ConfigError(message));
});
