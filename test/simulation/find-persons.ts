import { Binary, type Document } from "mongodb";
import type { SimulatedDatabase } from "./simulated-registry.ts";

interface Search {
  readonly storeId: string;
  /** Selects the documents to search. */
  readonly filter: Document;
  /** Names and addresses that nothing else contains. */
  readonly texts: readonly string[];
}

/** Searches every collection and the stream for texts. @returns where they are */
export async function findPersons(
  { collections, stream }: SimulatedDatabase,
  { storeId, filter, texts }: Search,
): Promise<string[]> {
  if (texts.length === 0) return [];
  const found: string[] = [];
  const search = (where: string, content: string) => {
    for (const text of texts)
      if (content.includes(text)) found.push(`${where} contains ${text}, who was erased: ${content.slice(0, 200)}`);
  };
  for (const bytes of (await stream?.messagesOf(storeId)) ?? []) search("the stream", Buffer.from(bytes).toString());
  for (const [name, collection] of Object.entries(collections)) {
    const documents = await collection.find(filter).toArray();
    for (const document of documents) search(name, JSON.stringify(document, bytesAsText));
  }
  return found;
}

// Binary fields convert themselves to base64 before a replacer sees them, so it looks at the object that has the field.
function bytesAsText(this: object, key: string, value: unknown): unknown {
  const bytes: unknown = Reflect.get(this, key);
  return bytes instanceof Binary ? Buffer.from(bytes.value()).toString("latin1") : value;
}
