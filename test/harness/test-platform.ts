import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SignJWT } from "jose";
import { openTemporaryFolder } from "./files/temporary-folder.ts";

/** A storefront platform that signs session tokens with a secret (HS256). */
export type TestPlatform = Awaited<ReturnType<typeof openTestPlatform>>;

/** Creates a platform. @param onEnd registers a function that removes the file with its secret */
export async function openTestPlatform(onEnd: (remove: () => Promise<void>) => void) {
  const secret = randomBytes(32).toString("hex");
  const folder = await openTemporaryFolder("platform", onEnd);
  const file = join(folder, "secret");
  await writeFile(file, secret);
  return {
    variables: {
      REGISTRY_PLATFORM_SECRET_FILE: file,
      REGISTRY_PLATFORM_ISSUER: "https://{shop}/admin",
      REGISTRY_PLATFORM_AUDIENCE: "app",
    },
    /** Signs a new session token, valid for a minute. */
    sign: async (shop: string) =>
      new SignJWT({ dest: `https://${shop}` })
        .setProtectedHeader({ alg: "HS256" })
        .setIssuer(`https://${shop}/admin`)
        .setAudience("app")
        .setSubject("42")
        .setJti(randomBytes(8).toString("hex"))
        .setIssuedAt()
        .setExpirationTime("1 minute")
        .sign(new TextEncoder().encode(secret)),
  };
}
