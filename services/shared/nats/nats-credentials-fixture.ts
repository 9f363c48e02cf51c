import { nkeys } from "nats";

interface NKey {
  getPublicKey(): string;
  getSeed(): Uint8Array;
  sign(message: Uint8Array): Uint8Array;
}

// The client library's types do not declare these functions.
const create: Record<"createOperator" | "createAccount" | "createUser", () => NKey> = nkeys;

export const createUserKey = (): NKey => create.createUser();

/** Returns the encoded seed of an NKey, which begins with `S`. */
export const seedOf = (key: NKey) => Buffer.from(key.getSeed()).toString();

/** Creates a signed NATS JWT. @param nats the claims specific to NATS */
function sign(issuer: NKey, subject: NKey, name: string, nats: object): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const claims = { jti: name, iat: Math.floor(Date.now() / 1_000), iss: issuer.getPublicKey(), name };
  const signed = `${encode({ typ: "JWT", alg: "ed25519-nkey" })}.${encode({ ...claims, sub: subject.getPublicKey(), nats })}`;
  return `${signed}.${Buffer.from(issuer.sign(Buffer.from(signed))).toString("base64url")}`;
}

const unlimited = { subs: -1, data: -1, payload: -1 };
const accountLimits = {
  ...unlimited,
  imports: -1,
  exports: -1,
  wildcards: true,
  conn: -1,
  leaf: -1,
  mem_storage: -1,
  disk_storage: -1,
  streams: -1,
  consumer: -1,
};

/**
 * Creates an operator with an account.
 *
 * @returns the settings of a server that trusts the operator, and a function that creates a user's credentials
 */
export function createNatsOperator() {
  const [operator, system, account] = [create.createOperator(), create.createAccount(), create.createAccount()];
  const accountJwt = (key: NKey, name: string, limits: object) =>
    sign(operator, key, name, { type: "account", version: 2, limits });
  const noJetStream = { ...accountLimits, mem_storage: 0, disk_storage: 0, streams: 0, consumer: 0 };
  const operatorClaims = { type: "operator", version: 2, system_account: system.getPublicKey() };
  const settings = [
    `operator: ${sign(operator, operator, "operator", operatorClaims)}`,
    `system_account: ${system.getPublicKey()}`,
    "resolver: MEMORY",
    "resolver_preload {",
    `  ${system.getPublicKey()}: ${accountJwt(system, "SYS", noJetStream)}`,
    `  ${account.getPublicKey()}: ${accountJwt(account, "registry", accountLimits)}`,
    "}",
  ].join("\n");
  return {
    settings,
    createCredentials: (): string => {
      const user = createUserKey();
      const jwt = sign(account, user, "user", { type: "user", version: 2, ...unlimited });
      const block = (kind: string, content: string) => `-----BEGIN ${kind}-----\n${content}\n------END ${kind}------\n`;
      return `${block("NATS USER JWT", jwt)}\n${block("USER NKEY SEED", seedOf(user))}`;
    },
  };
}
