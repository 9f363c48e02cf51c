import { encodeImage } from "#shared/images/encode-image.ts";
import type { EncodedImage } from "#shared/images/image.ts";
import type { ImageTarget } from "#shared/images/image-bounds.ts";
import type { UploadedFile } from "../../http/uploaded-file.ts";
import { withUpload } from "../../pages/collect-uploads.ts";
import { FormRefusal, type Visit } from "../model/settings-page.ts";

interface ImageField {
  /** Name of the form's field. */
  readonly field: string;
  /** Maximum size of the file, in bytes. */
  readonly fileBytesMax: number;
  readonly target: ImageTarget;
  /** The text for an image that is too large, which names the maximum. */
  readonly tooLarge: "settings.logo.problems.size" | "settings.products.tooLarge";
}

/** Returns an uploaded image as pages load it. @throws FormRefusal that says why it cannot be used */
export async function uploadedImage(
  { session: { shop }, text }: Visit,
  file: UploadedFile,
  { field, fileBytesMax, target, tooLarge }: ImageField,
): Promise<EncodedImage> {
  const image = await withUpload(file, fileBytesMax, shop, async (content) =>
    content === undefined ? "size" : encodeImage(shop, content, target),
  );
  if (typeof image !== "string") return image;
  const problem = text(image === "size" ? tooLarge : `settings.logo.problems.${image}`);
  throw new FormRefusal([{ field, text: problem }]);
}
