import type { DemoFacts } from "./data-folder.ts";

/** What `npm start` prints when everything is up: the address, the key and three lines to paste. */
export function announcement(facts: DemoFacts, nextCursor: string | null, now: Date): string {
  const list = `${facts.base_url}/v1/certificates`;
  const curl = (query: string) => `  curl -s -H "Authorization: Bearer ${facts.api_key}" "${list}?${query}"`;
  const { port: registry } = new URL(facts.registry_operations_url);
  const { port: edge } = new URL(facts.edge_operations_url);
  const { port: notifier, hostname } = new URL(facts.notifier_operations_url);
  const ports = `registry :${registry}, edge :${edge}, notifier :${notifier}`;
  return `
The certificate registry is up.
  API        ${list}
  API key    ${facts.api_key}
  gRPC       ${facts.registry_address}
  database   ${facts.database_server}
  receiver   ${facts.receiver_url}
  operations ${ports} (/metrics, /readyz on ${hostname}); logs in ${facts.log_folder}

The first page, the page after it, and what changed since this moment (nothing yet):
${curl("limit=2")}
${curl(nextCursor === null ? "limit=2" : `limit=2&cursor=${nextCursor}`)}
${curl(`updated_since=${now.toISOString()}`)}

Issue one more, and ask again:
  npm run -s certctl -- --registry ${facts.registry_address} --store ${facts.shop} certificate issue --title "Poster" --name "Ada" --email ada@example.com
Import an order export:
  npm run -s certctl -- --registry ${facts.registry_address} --store ${facts.shop} import orders <file.csv>

What the receiver gets is shown below; Ctrl-C stops everything.
`;
}
