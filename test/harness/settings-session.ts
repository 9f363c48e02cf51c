import { inStore } from "./in-store.ts";
import type { TestRegistry } from "./registry-fixture.ts";
import { whenAvailable } from "./when-available.ts";

type Registry = Pick<TestRegistry, "admin" | "settings">;

/** Creates a sign-in link. @returns the `openSession` request that uses the link */
export async function signInLink({ admin }: Pick<Registry, "admin">, storeId: string, actor = "") {
  const { url } = await admin.createSettingsLink({ actor }, inStore(storeId));
  return { proof: { case: "linkSecret", value: url.split("/").at(-1) ?? "" } } as const;
}

/** Opens a session in a store's settings. @returns the header with the session's token */
export async function openSettingsSession(registry: Registry, storeId: string, actor = "merchant") {
  const signIn = async () => registry.settings.session.openSession(await signInLink(registry, storeId, actor));
  const { sessionToken } = await whenAvailable(signIn);
  return { "x-session": sessionToken };
}
