import { EditionStyle } from "#gen/registry/v1/store_admin_service_pb.js";
import { enumNames } from "./enum-names.ts";

/** The enum value of each edition style. */
export const editionStyleNames = enumNames(EditionStyle);
