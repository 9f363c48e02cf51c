import type { DemoFacts } from "./data-folder.ts";

/** The part of a list page that the summary uses. */
interface ListedPage {
  readonly certificates: readonly { readonly verifyUrl: string }[];
  readonly next_cursor: string | null;
}

/**
 * Returns the text that `npm start` prints once all parts are ready: addresses, the API key, links to open and commands
 * to paste.
 */
export function startupSummary(
  facts: DemoFacts,
  { certificates, next_cursor }: ListedPage,
  settingsLink: string,
  now: Date,
): string {
  const list = `${facts.base_url}/v1/certificates`;
  const curl = (query: string) => `  curl -s -H "Authorization: Bearer ${facts.api_key}" "${list}?${query}"`;
  const certctl = `npm run -s certctl -- --registry ${facts.registry_address} --store ${facts.shop}`;
  const { port: registry } = new URL(facts.registry_operations_url);
  const { port: edge } = new URL(facts.edge_operations_url);
  const { port: notifier, hostname } = new URL(facts.notifier_operations_url);
  const tls = facts.operator_tls;
  const ports = `registry :${registry}, edge :${edge}, notifier :${notifier}`;
  return `
The certificate registry is ready.
  API        ${list}
  API key    ${facts.api_key}
  gRPC       ${facts.registry_address}
  database   ${facts.database_server}
  receiver   ${facts.receiver_url}
  operations ${ports} (/metrics, /readyz on ${hostname}); logs in ${facts.log_folder}

Open a certificate's verification page in a browser:
  ${certificates[0]?.verifyUrl ?? "no certificate exists yet: issue one, then run npm start again"}

Open the demo store's settings in a browser (the link works once, within 15 minutes):
  ${settingsLink}
  for another link: ${certctl} settings link

The guide for integrators, with snippets to paste after these two lines:
  ${facts.base_url}/docs
  export REGISTRY_URL=${facts.base_url}
  export REGISTRY_API_KEY=${facts.api_key}

List the first page, the next page, and the changes since now (none yet):
${curl("limit=2")}
${curl(next_cursor === null ? "limit=2" : `limit=2&cursor=${next_cursor}`)}
${curl(`updated_since=${now.toISOString()}`)}

In this checkout, certctl finds this registry by itself. Elsewhere, or after npm start with --data, run first:
  export CERTCTL_REGISTRY=${facts.registry_address} CERTCTL_STORE=${facts.shop}
  export CERTCTL_CERT_FILE=${tls.cert_file}
  export CERTCTL_KEY_FILE=${tls.key_file} CERTCTL_CA_FILE=${tls.ca_file}
Issue a certificate, then list the changes again:
  ${certctl} certificate issue --title "Poster" --name "Ada" --email ada@example.com
Import an order export:
  ${certctl} import orders <file.csv>

Webhook messages appear below as they arrive at the demo receiver. Press Ctrl-C to stop everything.

See everything work, in a small shop: place an order, watch its certificate arrive, refund it.
  ${facts.demo_shop_url}
`;
}
