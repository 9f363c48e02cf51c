import { z } from "zod";

// The fields of a list page that the demo uses.
const pageSchema = z.object({
  certificates: z.array(z.object({ id: z.string(), updatedAt: z.string(), verifyUrl: z.string() })),
  next_cursor: z.string().nullable(),
});

/** Fetches one page of the certificate list. @param query such as `limit=2` @throws Error on an error status */
export async function fetchPage(baseUrl: string, apiKey: string, query: string) {
  const response = await fetch(`${baseUrl}/v1/certificates?${query}`, {
    headers: { authorization: `Bearer ${apiKey}` },
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error(`The list API responded with status ${response.status}: ${await response.text()}`);
  return pageSchema.parse(await response.json());
}
