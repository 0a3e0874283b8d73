import type { SetupPartTexts } from './en.ts'

export const setupParts: SetupPartTexts = {
  sections: {
    trackers: 'Profils de balises',
    emergency: 'Numéros d’urgence',
  },
  labels: {
    'map.overlays': 'Refuges, sentiers et hélistations',
    'lorawan.profiles': 'Profils à vous',
    'tracking.emergencyNumbers': 'Numéros d’urgence par pays',
    'twilio.pollSeconds': 'Demander les accusés toutes les (s)',
    'twilio.validitySeconds': 'Un SMS est abandonné après (s)',
  },
  hints: {
    'map.overlays':
      'Fichiers GeoJSON dans le répertoire de données de chaque nœud, un par ligne. Toute personne qui a un lien les voit.',
    'lorawan.profiles':
      'Quel uplink de quel modèle est un SOS, comme dans docs/lorawan.md\u00a0: collez les lignes de cette page. Les profils fournis existent sans cela.',
    'tracking.emergencyNumbers':
      'Les personnes qui aident sont invitées à les composer. Un par ligne, par exemple AT: 140. Pour les autres pays, le numéro habituel est affiché.',
  },
  problems: {
    'is in the local network or on this machine: list its host in notifications.lanHosts first; one on this machine is set in the file':
      'L’adresse est dans le réseau local ou sur cette machine. Dans le réseau local, autorisez-la d’abord sous «\u00a0Hôtes du réseau local\u00a0»\u00a0; sur cette machine, seul le fichier de configuration peut la fixer.',
    'must be GeoJSON files (.geojson) in the data directory of this node':
      'Choisissez des fichiers GeoJSON du répertoire de données de ce nœud.',
    'is not valid YAML': 'Ce n’est pas du YAML valide\u00a0: vérifiez les retraits et les deux-points.',
    'must be profiles by name, as in docs/lorawan.md':
      'Saisissez des profils par leur nom, comme dans docs/lorawan.md.',
    'must have at most 50 profiles, and 65536 characters together': 'Au plus 50 profils, et 65536 caractères en tout.',
    'is not an ISO 3166-1 alpha-2 country code in capitals': 'Commencez chaque ligne par les deux lettres du pays.',
    'must be a number to dial': 'Saisissez un numéro à composer, par exemple 140.',
  },
  overridden: (name) =>
    `Ce que ${name} a saisi ici ne compte pas. Cela comptera de nouveau quand rien n’y figurera plus.`,
  hostNeeded: (key) => `${key} se trouve sur un des hôtes que vous retirez. Changez cela d’abord.`,
  overlayFiles: (names) => `Sur ce nœud\u00a0: ${names}.`,
  noOverlayFiles: 'Il n’y en a pas encore sur ce nœud.',
  onlyInFile: {
    lead: 'Uniquement dans le fichier de configuration ou l’environnement, puis redémarrage\u00a0:',
    why: {
      start: 'nécessaire avant l’ouverture de la base de données',
      listeners: 'ports et ce qui y répond',
      machine: 'fichiers et programmes de la machine',
      guards: 'limites qu’aucune session de la console ne déplace, et surveillance de ce service',
      resources: 'parts de mémoire, de disque et de connexions',
      deletion: 'durée de conservation\u00a0: ce qui est effacé ne revient pas',
      defaults: 'valeurs par défaut des applications et des appareils\u00a0; celles d’une application sont sur sa page',
    },
  },
}
