import { readFile } from "node:fs/promises";
import { createServer } from "node:https";
import sharp from "sharp";
import { closeHttp, listenHttp } from "#shared/http/operations-server.ts";
import { shopProducts } from "../shop/product.ts";

const pixels = 1_024;

interface PictureServerFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/**
 * Serves the products' pictures as PNG over HTTPS on a free port, as the platform's servers do: merchants can take them
 * from the storefront.
 */
export async function startPictureServer(host: string, files: PictureServerFiles) {
  const [cert, key] = await Promise.all([readFile(files.certFile), readFile(files.keyFile)]);
  const server = createServer({ cert, key }, (request, response) => {
    const product = shopProducts.find(({ picture }) => request.url === `/${picture}.png`);
    if (product === undefined) return void response.writeHead(404).end();
    pictureOf(product.picture).then(
      (content) => response.writeHead(200, { "Content-Type": "image/png" }).end(content),
      () => response.writeHead(500).end(),
    );
  });
  const port = await listenHttp(server, host, 0);
  return {
    urlOf: (picture: string) => `https://${host}:${port}/${picture}.png`,
    stop: () => closeHttp(server, 1_000),
  };
}

async function pictureOf(picture: string): Promise<Buffer> {
  const drawing = await readFile(new URL(`../assets/pictures/${picture}.svg`, import.meta.url));
  return sharp(drawing).resize({ width: pixels }).png().toBuffer();
}
