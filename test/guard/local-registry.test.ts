import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDataFolder, writeDemoFacts } from "../../deploy/local/stack/data-folder.ts";
import { issueGrpcCertificates, localCertDomain } from "../../deploy/local/stack/grpc-certificates.ts";
import { parseStartOptions } from "../../deploy/local/stack/start-options.ts";
import { chooseRegistry } from "../../services/cli/registry-client/choose-registry.ts";
import { chooseSecurity } from "../../services/cli/registry-client/choose-security.ts";
import { plaintext } from "../../services/shared/rpc/grpc-tls.ts";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";
import { root } from "./repository.ts";

test("certctl finds the registry's address and the operator's certificate through the file that npm start writes", async () => {
  const checkout = await openTemporaryFolder("local-registry", onTestFinished);
  const folderName = path.relative(root, parseStartOptions([])?.dataFolder ?? "");
  const folder = await openDataFolder(path.join(checkout, folderName), false);
  const { operator } = await issueGrpcCertificates(folder.secrets);
  writeDemoFacts(folder, {
    api_key: "crk_1",
    base_url: "http://127.0.0.1:8080",
    database_server: "mongod",
    demo_shop_url: "http://127.0.0.1:8088/",
    edge_operations_url: "http://127.0.0.1:40002",
    log_folder: folder.logs,
    notifier_operations_url: "http://127.0.0.1:40003",
    receiver_url: "https://127.0.0.1:8443/webhooks",
    registry_address: "127.0.0.1:9191",
    operator_tls: { cert_file: operator.cert, key_file: operator.key, ca_file: operator.ca },
    registry_operations_url: "http://127.0.0.1:40001",
    shop: "demo.example",
    storefront: { webhook_url: "http://127.0.0.1:8080/hooks", secret_file: "/data/secret", shop: "demo.example" },
  });
  const { address } = chooseRegistry({}, checkout);
  expect(address).toBe("127.0.0.1:9191");
  const settings = { plaintext: false, certDomain: localCertDomain };
  expect(chooseSecurity(settings, address, checkout)).not.toBe(plaintext);
  expect(() => chooseSecurity(settings, "127.0.0.1:9292", checkout)).toThrow("Specify them with --cert-file");
});
