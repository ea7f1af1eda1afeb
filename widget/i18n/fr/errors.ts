import type { Messages } from '../messages.ts';

/** French texts about failures, rejections and notices. */
export const frenchErrors: Messages = {
  'notice.analysis_fallback':
    'Le service de description n’a pas répondu pour {count} image.|Le service de description n’a pas répondu pour {count} images.',
  'notice.analysis_loading':
    'Le modèle d’images est encore en cours de chargement. {count} image n’a pas encore de description.|Le modèle d’images est encore en cours de chargement. {count} images n’ont pas encore de description.',
  'notice.analyze_failed': '{count} image n’a pas pu être décrite.|{count} images n’ont pas pu être décrites.',
  'notice.check-cost': 'Vérifier de nouveau',
  'notice.details': 'Détails',
  'notice.dismiss': 'Masquer',
  'notice.download_failed':
    '{count} fichier n’a pas pu être téléchargé.|{count} fichiers n’ont pas pu être téléchargés.',
  'notice.elsewhere': 'Cet export a déjà été lancé, ici ou dans une autre fenêtre. Rien n’est facturé deux fois.',
  'notice.expired':
    'Le service garde les images {hours} heures après la dernière utilisation. Les vôtres n’y sont plus, mais vos textes sont conservés : ajoutez de nouveau les images.',
  'notice.export_failed':
    '{count} image n’a pas pu être exportée et n’a pas été facturée.|{count} images n’ont pas pu être exportées et n’ont pas été facturées.',
  'notice.more': 'et {count} autre|et {count} autres',
  'notice.no_model':
    'Aucune description n’a été faite : ce service n’a pas de modèle d’image. Veuillez écrire les textes vous-même.',
  'notice.offline': 'Vous êtes hors ligne. Le travail reprendra dès le retour de la connexion.',
  'notice.renew': 'Téléverser de nouveau',
  'notice.request': 'Demande {id}',
  'notice.sample_failed': '{count} image de l’échantillon a échoué.|{count} images de l’échantillon ont échoué.',
  'notice.save_failed':
    'Les textes de {count} image n’ont pas pu être enregistrés.|Les textes de {count} images n’ont pas pu être enregistrés.',
  'notice.upload_failed': '{count} image n’a pas pu être envoyée.|{count} images n’ont pas pu être envoyées.',
  'reject.count': '{count} fichiers sur {total} n’ont pas été ajoutés',
  'reject.duplicate': '{name} est déjà dans la liste.',
  'reject.empty': '{name} est vide.',
  'reject.heic':
    '{name} est une photo HEIC, qui ne peut pas être optimisée. Enregistrez-la en JPEG, ou choisissez « Le plus compatible » sur le téléphone.',
  'reject.limit': '{name} : la liste accepte au plus {max} images.',
  'reject.pixels': '{name} : {megapixels} mégapixels ; la limite est de {max}.',
  'reject.size': '{name} pèse {size}. La limite est de {max}.',
  'reject.total': '{name} : l’ensemble des images dépasserait {max}.',
  'reject.truncated': '{name} est incomplet : la fin manque. Veuillez le copier de nouveau.',
  'reject.type': '{name} : les fichiers {format} ne peuvent pas être optimisés.',
  'reject.unknown': '{name} n’est pas une image que l’on peut optimiser.',
  'reject.unreadable': '{name} ne peut pas être lu.',
  'warning.alpha_flattened': 'La transparence est devenue blanche.',
  'warning.animation_dropped': 'Seule la première image de l’animation a été gardée.',
  'warning.cmyk_converted': 'Les couleurs d’impression ont été converties pour l’écran.',
  'warning.no_gain': 'Aucun fichier ne serait plus léger : rien n’a été facturé.',
  'warning.pages_dropped': 'Seule la première page a été gardée.',
};
