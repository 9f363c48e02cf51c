import type { ImageProblem } from "../../images/encode-image.ts";
import type { Texts } from "../model/settings-page.ts";

interface LogoTexts {
  readonly logo: string;
  readonly logoLead: string;
  readonly file: string;
  readonly save: string;
  readonly remove: string;
  /** Alternative text of the current logo. */
  readonly current: string;
  readonly problems: Readonly<Record<ImageProblem, string>>;
}

export const texts: Texts<LogoTexts> = {
  en: {
    logo: "Logo",
    logoLead: "Shown above the certificate. PNG, JPEG or WebP, at most 5 MB. Large images are made smaller.",
    file: "Image file",
    save: "Save the logo",
    remove: "Remove the logo",
    current: "Your logo",
    problems: {
      format: "Choose a PNG, JPEG or WebP image.",
      size: "The file is too large. Choose one of at most 5 MB, 24 megapixels and 8,192 pixels per side.",
      unreadable: "The image is damaged. Save it again and try once more.",
      costly: "The image takes too much memory or time to process. Save it with fewer pixels and try once more.",
      busy: "Another image is being processed. Please try again in a moment.",
    },
  },
  de: {
    logo: "Logo",
    logoLead: "Steht über dem Zertifikat. PNG, JPEG oder WebP, höchstens 5 MB; es wird bei Bedarf verkleinert.",
    file: "Bilddatei",
    save: "Logo speichern",
    remove: "Logo entfernen",
    current: "Ihr Logo",
    problems: {
      format: "Wählen Sie ein Bild im Format PNG, JPEG oder WebP.",
      size: "Die Datei ist zu groß. Wählen Sie eine mit höchstens 5 MB, 24 Megapixeln und 8.192 Pixeln je Seite.",
      unreadable: "Das Bild ist beschädigt. Speichern Sie es neu und versuchen Sie es noch einmal.",
      costly:
        "Das Bild braucht zu viel Speicher oder Zeit. Speichern Sie es mit weniger Pixeln und versuchen Sie es noch einmal.",
      busy: "Gerade wird ein anderes Bild verarbeitet. Bitte versuchen Sie es gleich noch einmal.",
    },
  },
  fr: {
    logo: "Logo",
    logoLead: "Affiché au-dessus du certificat. PNG, JPEG ou WebP, 5 Mo au maximum ; il est réduit si nécessaire.",
    file: "Fichier image",
    save: "Enregistrer le logo",
    remove: "Supprimer le logo",
    current: "Votre logo",
    problems: {
      format: "Choisissez une image PNG, JPEG ou WebP.",
      size: "Le fichier est trop volumineux. Choisissez-en un de 5 Mo, 24 mégapixels et 8 192 pixels de côté au maximum.",
      unreadable: "L’image est endommagée. Enregistrez-la de nouveau, puis réessayez.",
      costly:
        "Le traitement de l’image demande trop de mémoire ou de temps. Enregistrez-la avec moins de pixels, puis réessayez.",
      busy: "Une autre image est en cours de traitement. Réessayez dans un instant.",
    },
  },
  es: {
    logo: "Logotipo",
    logoLead: "Aparece encima del certificado. PNG, JPEG o WebP, 5 MB como máximo; se reduce si hace falta.",
    file: "Archivo de imagen",
    save: "Guardar el logotipo",
    remove: "Quitar el logotipo",
    current: "Su logotipo",
    problems: {
      format: "Elija una imagen PNG, JPEG o WebP.",
      size: "El archivo es demasiado grande. Elija uno de 5 MB, 24 megapíxeles y 8192 píxeles por lado como máximo.",
      unreadable: "La imagen está dañada. Guárdela de nuevo e inténtelo otra vez.",
      costly:
        "Procesar la imagen requiere demasiada memoria o tiempo. Guárdela con menos píxeles e inténtelo otra vez.",
      busy: "Se está procesando otra imagen. Inténtelo de nuevo en un momento.",
    },
  },
  it: {
    logo: "Logo",
    logoLead: "Appare sopra il certificato. PNG, JPEG o WebP, al massimo 5 MB; se necessario viene ridotto.",
    file: "File immagine",
    save: "Salva il logo",
    remove: "Rimuovi il logo",
    current: "Il tuo logo",
    problems: {
      format: "Scegli un’immagine PNG, JPEG o WebP.",
      size: "Il file è troppo grande. Scegline uno di al massimo 5 MB, 24 megapixel e 8.192 pixel per lato.",
      unreadable: "L’immagine è danneggiata. Salvala di nuovo e riprova.",
      costly: "L’elaborazione dell’immagine richiede troppa memoria o troppo tempo. Salvala con meno pixel e riprova.",
      busy: "È in corso l’elaborazione di un’altra immagine. Riprova tra un momento.",
    },
  },
  pt: {
    logo: "Logotipo",
    logoLead: "Aparece acima do certificado. PNG, JPEG ou WebP, no máximo 5 MB; é reduzido se necessário.",
    file: "Arquivo de imagem",
    save: "Salvar o logotipo",
    remove: "Remover o logotipo",
    current: "Seu logotipo",
    problems: {
      format: "Escolha uma imagem PNG, JPEG ou WebP.",
      size: "O arquivo é grande demais. Escolha um de no máximo 5 MB, 24 megapixels e 8.192 pixels por lado.",
      unreadable: "A imagem está danificada. Salve-a novamente e tente outra vez.",
      costly: "O processamento da imagem exige memória ou tempo demais. Salve-a com menos pixels e tente outra vez.",
      busy: "Outra imagem está sendo processada. Tente novamente em instantes.",
    },
  },
  nl: {
    logo: "Logo",
    logoLead: "Staat boven het certificaat. PNG, JPEG of WebP, hoogstens 5 MB; het wordt zo nodig verkleind.",
    file: "Afbeeldingsbestand",
    save: "Logo opslaan",
    remove: "Logo verwijderen",
    current: "Je logo",
    problems: {
      format: "Kies een afbeelding in PNG, JPEG of WebP.",
      size: "Het bestand is te groot. Kies er een van hoogstens 5 MB, 24 megapixels en 8.192 pixels per zijde.",
      unreadable: "De afbeelding is beschadigd. Sla haar opnieuw op en probeer het nog eens.",
      costly: "De afbeelding kost te veel geheugen of tijd. Sla haar op met minder pixels en probeer het nog eens.",
      busy: "Er wordt net een andere afbeelding verwerkt. Probeer het zo nog eens.",
    },
  },
  ja: {
    logo: "ロゴ",
    logoLead: "証明書の上部に表示されます。PNG、JPEG、WebP形式で5MBまで。必要に応じて縮小されます。",
    file: "画像ファイル",
    save: "ロゴを保存",
    remove: "ロゴを削除",
    current: "現在のロゴ",
    problems: {
      format: "PNG、JPEG、WebPのいずれかの画像を選択してください。",
      size: "ファイルが大きすぎます。5MB、2,400万画素、各辺8,192ピクセル以下のものを選択してください。",
      unreadable: "画像が破損しています。保存し直してから、もう一度お試しください。",
      costly:
        "画像の処理に必要なメモリまたは時間が多すぎます。画素数を減らして保存し直してから、もう一度お試しください。",
      busy: "別の画像を処理しています。しばらくしてからもう一度お試しください。",
    },
  },
};
