import type { Messages } from '../messages.ts';

/** Spanish texts about failures, rejections and notices. */
export const spanishErrors: Messages = {
  'notice.analysis_fallback':
    'El servicio de descripción no respondió para {count} imagen.|El servicio de descripción no respondió para {count} imágenes.',
  'notice.analysis_loading':
    'El modelo de imágenes aún se está cargando. {count} imagen no tiene descripción todavía.|El modelo de imágenes aún se está cargando. {count} imágenes no tienen descripción todavía.',
  'notice.analyze_failed': 'No se pudo describir {count} imagen.|No se pudieron describir {count} imágenes.',
  'notice.check-cost': 'Comprobar de nuevo',
  'notice.details': 'Detalles',
  'notice.dismiss': 'Ocultar',
  'notice.download_failed': 'No se pudo descargar {count} archivo.|No se pudieron descargar {count} archivos.',
  'notice.elsewhere': 'Esta exportación ya se había iniciado, aquí o en otra ventana. Nada se cobra dos veces.',
  'notice.expired':
    'El servicio guarda las imágenes {hours} horas tras el último uso. Las suyas ya no están, pero sus textos sí: añada las imágenes de nuevo.',
  'notice.export_failed':
    'No se pudo exportar {count} imagen y no se cobró.|No se pudieron exportar {count} imágenes y no se cobraron.',
  'notice.more': 'y {count} más|y {count} más',
  'notice.no_model':
    'No se hicieron descripciones: este servicio no tiene un modelo de imagen. Escriba los textos usted mismo.',
  'notice.offline': 'Está sin conexión. El trabajo continuará en cuanto vuelva.',
  'notice.renew': 'Subir de nuevo',
  'notice.request': 'Solicitud {id}',
  'notice.sample_failed': 'Falló {count} imagen de la muestra.|Fallaron {count} imágenes de la muestra.',
  'notice.save_failed':
    'No se pudieron guardar los textos de {count} imagen.|No se pudieron guardar los textos de {count} imágenes.',
  'notice.upload_failed': 'No se pudo subir {count} imagen.|No se pudieron subir {count} imágenes.',
  'reject.count': 'No se añadieron {count} de {total} archivos',
  'reject.duplicate': '{name} ya está en la lista.',
  'reject.empty': '{name} está vacío.',
  'reject.heic':
    '{name} es una foto HEIC y no se puede optimizar. Guárdela como JPEG o elija «El más compatible» en el teléfono.',
  'reject.limit': '{name}: la lista admite {max} imágenes como máximo.',
  'reject.pixels': '{name}: {megapixels} megapíxeles; el límite es {max}.',
  'reject.size': '{name} ocupa {size}. El límite es {max}.',
  'reject.total': '{name}: todas las imágenes juntas pesarían más de {max}.',
  'reject.truncated': '{name} está incompleto: falta el final. Cópielo de nuevo.',
  'reject.type': '{name}: los archivos {format} no se pueden optimizar.',
  'reject.unknown': '{name} no es una imagen que se pueda optimizar.',
  'reject.unreadable': '{name} no se puede leer.',
  'warning.alpha_flattened': 'La transparencia pasó a ser blanca.',
  'warning.animation_dropped': 'Solo se conservó el primer fotograma de la animación.',
  'warning.cmyk_converted': 'Los colores de impresión se convirtieron para pantalla.',
  'warning.no_gain': 'Ningún archivo sería más pequeño, así que no se cobró nada.',
  'warning.pages_dropped': 'Solo se conservó la primera página.',
};
