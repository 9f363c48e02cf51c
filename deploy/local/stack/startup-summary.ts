import type { DemoFacts } from "./data-folder.ts";

/**
 * Returns the text that `npm start` prints once all parts are ready: addresses, the API key, links to open and commands
 * to paste. It fits a screen of 30 lines with 100 columns, unless the path of the checkout is long.
 */
export function startupSummary(facts: DemoFacts, verifyUrl: string | undefined, settingsLink: string): string {
  const { port: registry } = new URL(facts.registry_operations_url);
  const { port: edge } = new URL(facts.edge_operations_url);
  const { port: notifier, hostname } = new URL(facts.notifier_operations_url);
  const tls = facts.operator_tls;
  return `
The certificate registry is ready.
  API         ${facts.base_url}/v1/certificates
  database    ${facts.database_server}
  receiver    ${facts.receiver_url}
  operations  registry :${registry}, edge :${edge}, notifier :${notifier} (/metrics, /readyz on ${hostname})
  logs        ${facts.log_folder}

Open the guide for integrators, a certificate, or the settings (once, within 15 minutes):
  ${facts.base_url}/docs
  ${verifyUrl ?? "no certificate exists yet: issue one, then run npm start again"}
  ${settingsLink}

List certificates (the guide's snippets use the same two variables):
  export REGISTRY_URL=${facts.base_url}
  export REGISTRY_API_KEY=${facts.api_key}
  curl -s -H "Authorization: Bearer $REGISTRY_API_KEY" "$REGISTRY_URL/v1/certificates?limit=2"

certctl works in this checkout; elsewhere, or after npm start with --data, export these first:
  export CERTCTL_REGISTRY=${facts.registry_address} CERTCTL_STORE=${facts.shop}
  export CERTCTL_CERT_FILE=${tls.cert_file}
  export CERTCTL_KEY_FILE=${tls.key_file}
  export CERTCTL_CA_FILE=${tls.ca_file}
  npm run -s certctl -- certificate issue --title "Poster" --name "Ada" --email ada@example.com
  npm run -s certctl -- settings link

Webhook messages appear below as they arrive at the demo receiver. Press Ctrl-C to stop everything.
See everything work, in a small shop: place an order, watch its certificate arrive, refund it.
  ${facts.demo_shop_url}
`;
}
