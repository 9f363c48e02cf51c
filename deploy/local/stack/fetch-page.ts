import { z } from "zod";

const pageSchema = z.object({
  certificates: z.array(z.object({ id: z.string(), updatedAt: z.string() })),
  next_cursor: z.string().nullable(),
});

/** One page of the list, as far as the demo looks at it. */
export type Page = z.output<typeof pageSchema>;

/** Reads one page of the list. @param query as `limit=2` @throws Error naming the status when it is not 200 */
export async function fetchPage(baseUrl: string, apiKey: string, query: string): Promise<Page> {
  const response = await fetch(`${baseUrl}/v1/certificates?${query}`, {
    headers: { authorization: `Bearer ${apiKey}` },
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error(`the list API answers ${response.status}: ${await response.text()}`);
  return pageSchema.parse(await response.json());
}
