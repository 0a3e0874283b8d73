import type { TrackerTexts } from './en.ts'

export const trackers: TrackerTexts = {
  tracker: {
    state: 'État',
    lastHeard: 'Dernier signal',
    battery: 'Batterie',
    unknown: 'Aucune donnée',
    silentMeans: (time) =>
      `Aucun signal depuis\u00a0: ${time}. La balise est peut-être éteinte, déchargée ou hors de portée.`,
    flagMeans: (time) => `La balise signale un SOS depuis\u00a0: ${time}.`,
    disabledMeans:
      'Son propriétaire ou son application est désactivé\u00a0: la balise ne peut rien transmettre, pas même un SOS.',
    unpairedMeans: 'Non associée\u00a0: un SOS de cette balise n’alerte aucun contact.',
    silence: 'Si elle ne donne plus signe de vie',
    silenceOfAll: 'Si une balise ne donne plus signe de vie',
    silenceMeans:
      'Sans signal pendant cette durée, le chat de l’application est prévenu et la console l’indique. Ce n’est jamais un SOS.',
    warn: 'Prévenir',
    never: 'Jamais',
    after: 'Après une durée propre',
    afterAll: 'Après',
    asApplication: (interval) => `Comme l’application\u00a0: ${interval}`,
    count: 'Durée',
    unit: 'Unité',
    units: { min: 'minutes', h: 'heures', d: 'jours' },
    range: 'De 15 minutes à 30 jours.',
    token: 'Jeton et configuration',
    tokenMeans:
      'Avec son propre jeton, un téléphone avec Traccar Client ou OwnTracks, ou une balise qui parle OsmAnd, transmet de lui-même. Quiconque a le jeton peut transmettre des positions et déclencher un SOS au nom du propriétaire.',
    noToken: 'La balise n’a pas de jeton.',
    tokenSince: (time) => `La balise a un jeton depuis\u00a0: ${time}.`,
    owner: 'Propriétaire (identifiant externe)',
    ownerHint: 'La balise est d’abord associée à cette personne.',
    make: 'Créer un jeton',
    replace: 'Créer un nouveau jeton',
    replaceAsk: 'Créer un nouveau jeton\u00a0?',
    replaceMeans:
      'L’actuel cesse aussitôt de fonctionner. Tant que le nouveau n’est pas configuré, la balise ne peut pas envoyer de SOS.',
    revoke: 'Révoquer le jeton',
    revokeAsk: 'Révoquer le jeton\u00a0?',
    revokeMeans: 'La balise ne pourra plus rien transmettre, pas même un SOS.',
    onlyNow: 'Affiché maintenant seulement. Disparaît quand vous quittez cette page, ou dans',
    hasReported: 'C’est bon\u00a0: la balise a transmis.',
    app: 'Appli ou balise',
    apps: {
      traccar: 'Traccar Client',
      ownTracks: 'OwnTracks',
      ownTracksMqtt: 'OwnTracks par MQTT',
      byHand: 'Manuellement',
    },
    howTo: {
      traccar: 'Scannez ce code dans les réglages de Traccar Client.',
      ownTracks:
        'Scannez ce code avec l’appareil photo du téléphone. OwnTracks transmet seulement des positions, il n’a pas de SOS.',
      ownTracksMqtt:
        'Scannez ce code avec l’appareil photo du téléphone. Le téléphone doit faire confiance au certificat du service. OwnTracks n’a pas de SOS.',
      byHand: 'Pour tout ce qui parle OsmAnd\u00a0: l’adresse, et le jeton comme identifiant.',
    },
    qrOf: (app) => `Code QR pour ${app}`,
    link: 'Lien',
    address: 'Adresse',
    secret: 'Jeton',
    hide: 'Terminé\u00a0: masquer',
  },
  contactCheck: {
    state: 'Confirmé',
    confirmed: 'Confirmé',
    declined: 'Ne connaît pas cette personne\u00a0: alerté en dernier',
    open: 'Pas encore',
    ask: 'Demander confirmation',
    asked: (name) =>
      `La question part par SMS à ${name}, sauf si ce numéro a déjà été interrogé aujourd’hui. La réponse s’affichera ici.`,
    already: (name) => `${name} a déjà confirmé.`,
  },
  trackerRefusals: {
    bad_csv:
      'Rien n’a été enregistré. La première ligne doit être hardwareId,pairingCode,model, suivie de 500 balises au plus.',
    user_not_found: 'Cette personne n’existe pas.',
    not_paired: 'Personne n’a associé cette balise. Indiquez son propriétaire.',
    paired_to_another: 'Quelqu’un d’autre a associé cette balise. Dissociez-la d’abord.',
    device_limit: 'Cette personne a déjà le nombre maximal de balises. Dissociez-en d’abord une.',
    tracker_disabled:
      'Le propriétaire ou l’application est désactivé\u00a0: rien de ce que la balise envoie ne serait accepté.',
    verification_limit: 'La limite est atteinte\u00a0: un numéro est interrogé une fois par jour. Réessayez demain.',
    verification_used_up: 'Ce numéro a été interrogé trois fois et ne le sera plus. Appelez.',
  },
}
