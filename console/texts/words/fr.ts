import type { WordTexts } from './en.ts'

export const words: WordTexts = {
  purposes: {
    reopened: 'nouvelle alerte',
    acknowledged: 'quelqu’un a répondu',
    unanswered: 'personne n’a répondu',
    check_in: 'demande de nouvelles',
    last_call: 'dernier appel',
    all_clear: 'issue de l’alerte',
  },
  failures: {
    'rate limited (HTTP 429)': 'limité par le prestataire (HTTP 429)',
    'connection timeout': 'délai de connexion dépassé',
    'connection refused': 'connexion refusée',
    'connection reset': 'connexion interrompue',
    'connection failed': 'échec de la connexion',
    'network unreachable': 'réseau inaccessible',
    'name not found': 'nom de serveur introuvable',
    'certificate not accepted': 'certificat non accepté',
    'blocked address': 'adresse non autorisée',
    'invalid number': 'numéro non valide',
    busy: 'occupé',
    'no-answer': 'sans réponse',
    canceled: 'annulé',
    'provider error': 'erreur du prestataire',
    'provider busy': 'prestataire surchargé',
    'no provider for texts': 'aucun prestataire pour les SMS',
    'no provider for calls': 'aucun prestataire pour les appels',
    'outbox not writable': 'boîte d’envoi non accessible en écriture',
    'modem timeout': 'le modem ne répond pas',
    'modem down': 'modem indisponible',
    'modem error': 'erreur du modem',
    'spool missing': 'répertoire de spool absent',
    'spool not writable': 'répertoire de spool non accessible en écriture',
    'spool full': 'répertoire de spool plein',
  },
  upstream: (status) => `le serveur distant répond HTTP ${status}`,
  remarks: {
    heardBy: (gateway) => `pas de position GPS ; reçu par la passerelle ${gateway}`,
    earlierFix: (time) => `position relevée à : ${time}, et non au moment de l’appui`,
  },
  wordRefusals: {
    taken_by_another: 'Quelqu’un a été plus rapide et a pris cette alerte en charge.',
    undo_too_late:
      'La prise en charge date de plus d’une minute. Si personne n’aide, envoyez de nouveau l’alerte aux contacts.',
    incident_closed: 'Quelqu’un a été plus rapide\u00a0: cette alerte est déjà terminée.',
    incident_open: 'Une alerte de cette personne est encore en cours. Mettez-y d’abord fin.',
    incident_held:
      'Cette alerte provient d’une sauvegarde restaurée, et rien n’est envoyé pour elle. Reprenez d’abord l’envoi.',
    note_limit: 'Cette alerte contient déjà le nombre maximal de notes.',
    timer_over: 'Le minuteur est déjà terminé, ou il a expiré et déclenché un SOS. Mettez alors fin au SOS.',
    timer_limit: 'Le nombre maximal de minuteurs est déjà en cours pour cette personne. Terminez-en d’abord un.',
    token_limit: 'Il y a trop de jetons. Révoquez-en d’abord un.',
    all_clear_pending:
      'Les contacts sont encore en train d’être informés de la fin de la dernière alerte. Réessayez dans quelques minutes.',
    simulation_changed:
      'L’application Simulation a été modifiée et pourrait prévenir quelqu’un. Rétablissez-la d’abord.',
    text_is_built_in: 'C’est déjà le texte fourni.',
    no_target: 'L’application n’a pas d’adresse pour ce canal. Configurez-le d’abord.',
    url_missing: 'Saisissez l’adresse de destination.',
    dev_eui_registered: 'Ce DevEUI est déjà enregistré sous une autre graphie. Utilisez celle-ci.',
  },
}
