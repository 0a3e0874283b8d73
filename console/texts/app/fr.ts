import type { AppTexts } from './en.ts'

export const app: AppTexts = {
  inApp: {
    title: 'Application intégrée',
    lead: 'Pour les personnes sans application propre\u00a0: elle fonctionne dans le navigateur de leur téléphone.',
    on: 'Activée',
    firstTime:
      'La première fois, les nouveaux contacts doivent confirmer, et seuls les numéros de ce pays sont admis, sauf si des préfixes sont définis.',
    offAsk: 'Désactiver l’application\u00a0?',
    offMeans:
      'Les invitations ne fonctionnent plus, et l’application ne s’ouvre plus à son adresse. Les téléphones déjà configurés continuent\u00a0: leurs alertes arrivent toujours.',
    switchOff: 'Désactiver',
    country: 'Pays',
    countryHint: 'Tapez pour chercher. Il détermine le numéro d’urgence.',
    countryRefused: 'Choisissez un pays dans la liste.',
    emergencyNumber: 'Numéro d’urgence',
    emergencyHint: 'Vide\u00a0: celui du pays.',
    emergencyRefused: 'Saisissez seulement des chiffres, par exemple 112.',
    colour: 'Couleur',
    joined: { person: 'sur invitation', poster: 'par une affiche', contact: 'invitée par quelqu’un' },
    cameBy: 'Inscription',
    erases: (time) => `Demande à être effacée. Prend effet\u00a0: ${time}.`,
  },
  invitations: {
    title: 'Invitations à l’application',
    person: 'Inviter une personne',
    further: 'Inviter à l’application',
    furtherMeans:
      'Ajoute un téléphone à cette personne. Une alerte de ce téléphone parvient à ses contacts\u00a0: ne donnez le code à personne d’autre.',
    poster: 'Créer une affiche',
    posterMeans:
      'Pour de nouvelles personnes seulement, 20 par heure au plus, pendant un an. N’importe qui peut la lire\u00a0: révoquez-la quand elle est retirée.',
    places: 'Pour combien de personnes',
    label: 'Où elle se trouve (facultatif)',
    kind: 'Pour',
    kinds: {
      person: 'Une personne',
      poster: 'Affiche',
      contact: 'Une personne, par quelqu’un qui serait son contact',
      device: 'Autre téléphone',
    },
    used: 'Inscrits',
    usedOf: (used, places) => `${used} sur ${places}`,
    until: 'Jusqu’au',
    madeBy: 'Par',
    isEnded: 'révoquée',
    isFull: 'épuisée',
    isOver: 'expirée',
    end: 'Révoquer',
    endAsk: 'Révoquer cette invitation\u00a0?',
    endMeans: 'Plus personne ne peut l’utiliser. Les téléphones déjà inscrits restent.',
    people: 'Ses personnes',
    peopleDone: 'Terminé',
    peopleTitle: 'Personnes arrivées par cette invitation',
    disableAll: 'Désactiver tout',
    enableAll: 'Réactiver tout',
    enabledOf: (enabled: number, users: number) => `Actives\u00a0: ${enabled} sur ${users}.`,
    disableAllMeans:
      'Désactivées, elles ne peuvent plus déclencher d’alerte, et plus personne ne peut utiliser l’invitation.',
    inAlarm: (n: number) =>
      n <= 1
        ? 'Une personne a une alerte en cours et reste active.'
        : `${n} personnes ont une alerte en cours et restent actives.`,
    enableAllMeans: 'Réactiver concerne aussi les personnes désactivées une à une.',
    qr: 'Code QR de l’invitation',
    onlyNow:
      'Toute personne qui a ce code peut l’utiliser. Il n’est affiché qu’une fois et disparaît quand vous quittez la page, ou dans',
    works: 'Valable encore',
    copyLink: 'Lien',
    print: 'Imprimer',
    hide: 'Terminé\u00a0: masquer',
    unreachable: 'Aucun téléphone ne peut ouvrir cette adresse. Réglez d’abord l’adresse publique du site.',
    isOpen: 'Une invitation pour cette personne est ouverte, jusqu’au',
    sheetLanguage: 'Langue de la feuille',
  },
  appDevices: {
    title: 'Téléphones avec l’application',
    name: 'Téléphone',
    enrolled: 'Configuré',
    lastSeen: 'Dernière activité',
    never: 'Jamais',
    leaves: (time) => `La personne le retire\u00a0: ${time}`,
    remove: 'Révoquer',
    removeAsk: (name) => `Révoquer ${name}\u00a0?`,
    removeMeans: 'Il est déconnecté immédiatement et ne peut plus envoyer de SOS. Une alerte en cours reste ouverte.',
  },
  smsSos: {
    title: 'SOS par SMS',
    lead: 'Là où l’on capte pour appeler mais pas pour les données, on envoie SOS par SMS à votre numéro.',
    on: 'Un SMS avec SOS déclenche une alerte',
    number: 'Votre numéro',
    numberHint: 'Celui de la carte SIM du modem, ou de Twilio. Les applications l’affichent.',
    noDesk:
      'Indiquez aussi «\u00a0Dernier contact de chaque alerte\u00a0»\u00a0: il est alerté pour les numéros que personne n’a confirmés.',
    twilio:
      'Chez Twilio, saisissez cette adresse comme webhook des messages entrants et comme adresse de secours\u00a0:',
    modem: 'Avec un modem, rien d’autre n’est nécessaire.',
  },
}
