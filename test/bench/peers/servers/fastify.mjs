// Serves the list with Fastify and the MongoDB driver.
import { publicDocument } from "../../baseline/public-document.ts";
import { connections, port, requirePeer, uri } from "./peer-setup.mjs";

const { fastify } = requirePeer("fastify");
const { MongoClient } = requirePeer("mongodb");

const client = await new MongoClient(uri, { maxPoolSize: connections }).connect();
const certificates = client.db().collection("certificates");

const app = fastify();
app.get("/:store/v1/certificates", async ({ params, query }) => {
  const limit = Number(query.limit);
  const found = await certificates
    .find({ store: params.store })
    .sort({ updatedAt: 1 })
    .limit(limit + 1)
    .toArray();
  const page = found.slice(0, limit);
  const next = found.length > limit ? (page.at(-1)?.updatedAt ?? null) : null;
  return { certificates: page.map(publicDocument), next_cursor: next };
});
await app.listen({ host: "127.0.0.1", port });
