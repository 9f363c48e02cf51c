import {
  ApiError,
  type Certificate,
  type CertificateStore,
  fetchHandler,
  MemoryStore,
  RegistryClient,
  saveMessage,
  sync,
} from "certificate-registry-client";

// Code of a TypeScript project that uses the package. A test compiles it against the declarations, but does not run it.
export async function copyAll(store: CertificateStore): Promise<readonly string[]> {
  const client = new RegistryClient({ baseUrl: "https://registry.example", apiKey: "crk_…", timeoutMs: 5_000 });
  const serials: string[] = [];
  for await (const certificate of client.certificates({ status: "active" })) serials.push(serialOf(certificate));
  try {
    serials.push(serialOf(await client.get("crt_1")));
    await sync(client, store);
  } catch (error) {
    if (error instanceof ApiError && error.code === "plan_required") return [];
    throw error;
  }
  return serials;
}

const serialOf = ({ serial, edition }: Certificate) => `${serial} ${edition?.formatted ?? ""}`;

const store = new MemoryStore();
export const handler: (request: Request) => Promise<Response> = fetchHandler({
  secret: ["crs_new", "crs_old"],
  onMessage: async (message) => void (await saveMessage(store, message)),
});
