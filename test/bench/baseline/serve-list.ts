/** The list as a bare process would serve it: node:http, the database driver and JSON.stringify, without checks. */
import { createServer } from "node:http";
import { z } from "zod";
import type { CertificateDocument } from "../../../services/registry/mongo/documents.ts";
import { serveLoad } from "../load/serve-load.ts";
import { openBaseline } from "./open-baseline.ts";

const setup = z.object({ uri: z.string(), port: z.number(), connections: z.number() });

// Serves requests instead of generating a load, so there are no workers.
serveLoad(setup, async ({ uri, port, connections }) => {
  const { collections } = await openBaseline(uri, connections);
  const readPage = async (store: string, limit: number) => {
    const found = await collections.certificates
      .find({ store })
      .sort({ updatedAt: 1 })
      .limit(limit + 1)
      .toArray();
    const page = found.slice(0, limit);
    const next = found.length > limit ? (page.at(-1)?.updatedAt ?? null) : null;
    return JSON.stringify({ certificates: page.map(publicOf), next_cursor: next });
  };
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? "/", "http://localhost");
    const respond = (status: number, body: string) => {
      const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
      response.writeHead(status, headers).end(body);
    };
    readPage(searchParams.get("store") ?? "", Number(searchParams.get("limit"))).then(
      (body) => respond(200, body),
      () => respond(503, "{}"),
    );
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return [];
});

function publicOf({ _id, serial, order, ...certificate }: CertificateDocument) {
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
