// Uses the installed package in the runtime that runs this module, and prints the results as JSON.
import {
  ApiError,
  fetchHandler,
  MemoryStore,
  RegistryClient,
  saveMessage,
  statusAt,
  sync,
  verifyWebhook,
} from "certificate-registry-client";

const { baseUrl, apiKey, secret, body, signature } = JSON.parse(globalThis.Deno?.args[0] ?? process.argv[2]);
const client = new RegistryClient({ baseUrl, apiKey });
const serials = [];
for await (const { serial } of client.certificates({ status: "active" })) serials.push(serial);

const store = new MemoryStore();
const { read } = await sync(client, store);
const handle = fetchHandler({ secret, onMessage: (message) => void saveMessage(store, message) });
const post = (headers) => handle(new Request("https://receiver.example/", { method: "POST", headers, body }));
const statuses = [(await post({ "x-service-signature": signature })).status, (await post({})).status];

const wrong = new RegistryClient({ baseUrl, apiKey: "crk_wrong" });
const error = await wrong.getPage().catch((caught) => caught);

const saw = {
  serials,
  read,
  statuses,
  copy: store.certificates.map(({ id, ...certificate }) => [id, statusAt(certificate)]).sort(),
  genuine: [await verifyWebhook(body, signature, secret), await verifyWebhook(body, signature, "other")],
  error: [error instanceof ApiError, error.code, error.status, error.requestId],
};
// biome-ignore lint/suspicious/noConsole: the output of this program.
console.log(JSON.stringify(saw));
