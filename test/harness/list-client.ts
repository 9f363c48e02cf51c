import { z } from "zod";

const person = z.strictObject({ name: z.string(), email: z.string() });
const time = z.iso.datetime({ precision: 3 });

/** A certificate with exactly the members that INTERFACE.md §2 defines. */
const certificateSchema = z.strictObject({
  id: z.string(),
  serial: z.string().regex(/^\d{6,}$/),
  status: z.enum(["active", "revoked", "expired"]),
  product: z.strictObject({ id: z.string(), title: z.string(), variant: z.string(), sku: z.string() }),
  edition: z.strictObject({ number: z.int(), total: z.int(), formatted: z.string() }).nullable(),
  order: z.strictObject({ id: z.string().nullable(), name: z.string().nullable() }),
  owner: person,
  originalBuyer: person,
  issuedAt: time,
  updatedAt: time,
  expiresAt: time.nullable(),
  revokedAt: time.nullable(),
  revokedReason: z.string().nullable(),
  verifyUrl: z.url(),
});

/** A certificate as integrators receive it. */
export type ListedCertificate = z.output<typeof certificateSchema>;

/** A page of the list with exactly the members that INTERFACE.md §2.6 defines. */
export const pageSchema = z.strictObject({
  certificates: z.array(certificateSchema),
  next_cursor: z.string().nullable(),
});

type ListedPage = z.output<typeof pageSchema>;

/** A client that pages through the list as INTERFACE.md §4.1 describes. */
export class ListClient {
  readonly #url: string;
  readonly #apiKey: string;

  constructor(baseUrl: string, apiKey: string) {
    this.#url = `${baseUrl}/v1/certificates`;
    this.#apiKey = apiKey;
  }

  /** Requests the list. @param query without the question mark; may be empty */
  fetch(query: string, init: RequestInit = {}): Promise<Response> {
    const url = query === "" ? this.#url : `${this.#url}?${query}`;
    const headers = { authorization: `Bearer ${this.#apiKey}` };
    return fetch(url, { headers, signal: AbortSignal.timeout(120_000), ...init });
  }

  /** Requests one page. @throws Error unless the response has status 200 and the documented format */
  async page(parameters: Readonly<Record<string, string>> = {}): Promise<ListedPage> {
    const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    const response = await this.fetch(query.join("&"));
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${response.status} ${text}`);
    return pageSchema.parse(JSON.parse(text));
  }

  /** Requests all pages. @returns their certificates @throws Error as {@link page} does */
  async all(parameters: Readonly<Record<string, string>> = {}): Promise<ListedCertificate[]> {
    const certificates: ListedCertificate[] = [];
    let cursor: string | null = null;
    do {
      const page: ListedPage = await this.page(cursor === null ? parameters : { ...parameters, cursor });
      certificates.push(...page.certificates);
      cursor = page.next_cursor;
    } while (cursor !== null);
    return certificates;
  }
}
