import { Server, ServerCredentials } from "@grpc/grpc-js";
import { expect, onTestFinished, test } from "vitest";
import { connectClients } from "../../registry-client/connect-clients.ts";
import { storefrontImageForm } from "./storefront-image.ts";

test("a registry of an earlier release, without images of storefronts, does not prevent the product's page", async () => {
  const server = new Server();
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  onTestFinished(() => server.forceShutdown());
  const { clients, close } = connectClients({ address: `127.0.0.1:${port}`, timeoutMs: 10_000 });
  onTestFinished(close);
  const visit = {
    language: "en",
    session: { shop: "shop.example.test", storeName: "Shop", storeLanguage: "en", actor: "Ada" },
    registry: clients.settings.inSession("token"),
    params: {},
    query: new URLSearchParams({ id: "7001" }),
    formToken: "token",
    clientSignal: new AbortController().signal,
    now: new Date(0),
  } as const;
  expect(await storefrontImageForm(visit, "7001")).toBeUndefined();
});
