import type { DemoFacts } from "./data-folder.ts";

export const demoFacts: DemoFacts = {
  base_url: "http://127.0.0.1:8080",
  api_key: "crk_1",
  registry_address: "127.0.0.1:9191",
  operator_tls: { cert_file: "/data/cert.pem", key_file: "/data/key.pem", ca_file: "/data/ca.pem" },
  database_server: "mongod",
  shop: "demo.example",
  storefront: { webhook_url: "http://127.0.0.1:8080/hooks", secret_file: "/data/secret", shop: "demo.example" },
  receiver_url: "https://127.0.0.1:8443/webhooks",
  demo_shop_url: "http://127.0.0.1:8088/",
  registry_operations_url: "http://127.0.0.1:40001",
  edge_operations_url: "http://127.0.0.1:40002",
  notifier_operations_url: "http://127.0.0.1:40003",
  log_folder: "/data/logs",
};
