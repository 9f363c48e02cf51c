import type { Texts } from "../model/settings-page.ts";

/** The names of an import's states. */
export const stateTexts: Texts<
  Readonly<Record<"uploading" | "examining" | "examined" | "issuing" | "finished", string>>
> = {
  en: {
    uploading: "Upload incomplete",
    examining: "Checking the file",
    examined: "Checked",
    issuing: "Issuing certificates",
    finished: "Finished",
  },
  de: {
    uploading: "Unvollständig hochgeladen",
    examining: "Datei wird geprüft",
    examined: "Geprüft",
    issuing: "Zertifikate werden ausgestellt",
    finished: "Fertig",
  },
  fr: {
    uploading: "Téléversement incomplet",
    examining: "Vérification du fichier",
    examined: "Vérifié",
    issuing: "Émission des certificats",
    finished: "Terminé",
  },
  es: {
    uploading: "Subida incompleta",
    examining: "Comprobando el archivo",
    examined: "Comprobado",
    issuing: "Emitiendo certificados",
    finished: "Terminado",
  },
  it: {
    uploading: "Caricamento incompleto",
    examining: "Controllo del file",
    examined: "Controllato",
    issuing: "Emissione dei certificati",
    finished: "Completata",
  },
  pt: {
    uploading: "Envio incompleto",
    examining: "Verificando o arquivo",
    examined: "Verificado",
    issuing: "Emitindo certificados",
    finished: "Concluída",
  },
  nl: {
    uploading: "Upload onvolledig",
    examining: "Bestand wordt gecontroleerd",
    examined: "Gecontroleerd",
    issuing: "Certificaten worden uitgegeven",
    finished: "Klaar",
  },
  ja: {
    uploading: "アップロード未完了",
    examining: "ファイルを確認しています",
    examined: "確認済み",
    issuing: "証明書を発行しています",
    finished: "完了",
  },
};
