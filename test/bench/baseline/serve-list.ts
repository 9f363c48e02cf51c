/**
 * The bare process, which serves the list with node:http, the database driver and JSON.stringify, without checks. The
 * first segment of the path is the store's id; the cursor is the `updatedAt` after which the page begins. A request
 * with the query parameter `counted` also increments a counter of its store, durably, while the page is read.
 */
import { createServer } from "node:http";
import { z } from "zod";
import type { CertificateDocument } from "../../../services/registry/mongo/documents/documents.ts";
import { serveLoad } from "../load/serve-load.ts";
import { openBaseline } from "./open-baseline.ts";

const setup = z.object({ uri: z.string(), port: z.number(), connections: z.number() });

// Serves requests instead of generating a load, so there are no workers.
serveLoad(setup, async ({ uri, port, connections }) => {
  const { collections } = await openBaseline(uri, connections);
  const readPage = async (store: string, limit: number, after: string | null) => {
    const found = await collections.certificates
      .find({ store, ...(after !== null && { updatedAt: { $gt: new Date(after) } }) })
      // Omits the JSON that the registry stores for its own list.
      .project<CertificateDocument>({ json: 0 })
      .sort({ updatedAt: 1 })
      .limit(limit + 1)
      .toArray();
    const page = found.slice(0, limit);
    const next = found.length > limit ? (page.at(-1)?.updatedAt ?? null) : null;
    return JSON.stringify({ certificates: page.map(publicDocument), next_cursor: next });
  };
  const counters = collections.certificates.db.collection<{ _id: string }>("benchCounters");
  const count = (store: string) => counters.updateOne({ _id: store }, { $inc: { requests: 1 } }, { upsert: true });
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const respond = (status: number, body: string) => {
      const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
      response.writeHead(status, headers).end(body);
    };
    const store = pathname.split("/")[1] ?? "";
    const page = readPage(store, Number(searchParams.get("limit")), searchParams.get("cursor"));
    Promise.all([page, searchParams.has("counted") && count(store)]).then(
      ([body]) => respond(200, body),
      () => respond(503, "{}"),
    );
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return [];
});

/** Returns the public members of a stored certificate, as a plain program would build them. */
function publicDocument({ _id, serial, order, ...certificate }: CertificateDocument) {
  return {
    id: _id,
    serial: String(serial).padStart(6, "0"),
    status: certificate.status,
    product: certificate.product,
    edition: certificate.edition,
    order: { id: order?.id ?? null, name: order?.name ?? null },
    owner: certificate.owner,
    originalBuyer: certificate.originalBuyer,
    issuedAt: certificate.issuedAt,
    updatedAt: certificate.updatedAt,
    expiresAt: certificate.expiresAt,
    revokedAt: certificate.revokedAt,
    revokedReason: certificate.revokedReason,
    verifyUrl: `https://verify.example.test/c/${_id}?lang=en`,
  };
}
