import type { Phrases } from './phrases.ts'

export const fr: Phrases = {
  alarm: "SOS: {who} a besoin d'aide!",
  confirm: 'Merci de confirmer:',
  times: 'Déclenché {pressed}, arrivé {received} UTC.',
  position: 'Position {age}: {map}',
  noPosition: 'Position inconnue.',
  cancelled: "Fin d'alerte: {who} a annulé le SOS.",
  resolved: "Fin d'alerte: le SOS de {who} est clos.",
  over: "Fin d'alerte: le SOS de {who} est terminé.",
  now: "à l'instant",
  minutes: 'il y a {n} min',
  hours: 'il y a {n} h',
  days: 'il y a {n} j',
  test: "TEST: ceci est un essai de {app}. Il n'y a pas d'urgence.",
  somebody: "Quelqu'un",
  spokenAlarm: "Ceci est un appel d'urgence. {who} a besoin d'aide.",
  spokenPosition: 'Dernière position connue, {age} : latitude {latitude}, longitude {longitude}.',
  spokenLink: 'Veuillez ouvrir le lien dans le SMS.',
}
