import { ofName, pluralIn } from '../../../src/core/text/grammar.ts'
import type { ReadyTexts } from './en.ts'

const plural = pluralIn('fr')

export const ready: ReadyTexts = {
  drills: {
    open: (count) => `${count} ${plural(count, 'EXERCICE', 'EXERCICES')}`,
    nobodyInDanger: 'Personne n’est en danger.',
    isOne: 'EXERCICE\u00a0: personne n’est en danger et la position est fictive. Tout SOS sans ce mot est réel.',
    end: 'Terminer l’exercice',
    endAsk: 'Terminer cet exercice\u00a0?',
    endMeans: 'Toutes les personnes alertées seront informées que l’exercice est terminé.',
    title: 'Exercices',
    last90: 'Les 90 derniers jours',
    start: 'Lancer un exercice',
    startAsk: (name) => `Lancer un exercice pour ${name}\u00a0?`,
    startAskAll: (name) => `Lancer un exercice pour toutes les personnes ${ofName(name)}\u00a0?`,
    everyone: 'Un exercice par personne active, 100 au maximum.',
    toContacts: 'Envoyer aux téléphones des contacts',
    toOutbox:
      'Aucun téléphone ne sonne\u00a0: les SMS et les appels restent dans la boîte d’envoi. Le chat et le webhook reçoivent les leurs.',
    phonesRing: (names) =>
      `Des téléphones sonnent. Ces personnes reçoivent des messages qui commencent par EXERCICE\u00a0: ${names}. Prévenez-les à l’avance.`,
    phonesRingAll:
      'Des téléphones sonnent. Tous les contacts de ces personnes reçoivent des messages qui commencent par EXERCICE. Prévenez-les à l’avance.',
    noContacts: 'Aucun contact d’urgence\u00a0: personne ne serait alerté.',
    realWins:
      'Un vrai SOS met fin à l’exercice et est envoyé comme d’habitude. Sinon, il se termine automatiquement après 30 minutes.',
    started: (count) => `Exercices lancés\u00a0: ${count}.`,
    notStarted: (name, why) => `${name}\u00a0: non lancé, ${why}.`,
    passedOver: {
      incident_open: 'car une vraie alerte est en cours',
      drill_open: 'car un exercice est en cours',
      too_many_drills: 'car cette application en a eu trop en 24 heures',
      drilled_lately: 'car ces contacts en ont eu un dans l’heure écoulée',
    },
    endOpen: 'Terminer les exercices en cours',
    endOpenAsk: (name) => `Terminer les exercices en cours ${ofName(name)}\u00a0?`,
    ended: (count) => `Exercices terminés\u00a0: ${count}.`,
    report: 'Bilan de l’exercice',
    toPhones: 'Vers les téléphones des contacts',
    toTheOutbox: 'Vers la boîte d’envoi',
    went: 'Destination',
    firstAnswer: 'Première réponse',
    noAnswer: 'aucune réponse',
    answer: 'Réponse',
    ways: 'Messages',
    failed: 'Échecs',
    nothing: 'aucun',
    after: (seconds) =>
      seconds === null
        ? 'aucune réponse'
        : seconds < 120
          ? `après ${seconds} s`
          : `après ${Math.round(seconds / 60)} min`,
    overtaken: 'Un vrai SOS ou une restauration y a mis fin.',
    only: 'Exercices au lieu des alertes',
  },
}
