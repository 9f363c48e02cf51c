import { createRequire } from "node:module";
import path from "node:path";

/** Loads packages that are installed in the peer's folder, outside this project. */
export const requirePeer = createRequire(path.join(process.env.PEER_FOLDER ?? "", "package.json"));

/** Connection string of the database with the certificates. */
export const uri = process.env.PEER_DATABASE_URI ?? "";

/** Port on 127.0.0.1 at which the peer listens. */
export const port = Number(process.env.PEER_PORT);

/** Maximum number of database connections. */
export const connections = Number(process.env.PEER_CONNECTIONS);
