import type { rules as en } from './en.ts'

export const rules: typeof en = {
  sections: {
    messages: 'Premiers messages',
    calls: 'Appels',
    unanswered: 'Tant que personne ne répond',
    helped: 'Tant que quelqu’un aide',
    end: 'La fin',
    machines: 'Chat, webhook et passerelle',
  },
  means: {
    graceSeconds: (value) => `Rien n’est envoyé pendant ${value} s\u00a0: une annulation d’ici là n’alerte personne.`,
    contactIntervalSeconds: (value) => `${value} s après le SMS d’un contact, le suivant reçoit le sien.`,
    ackTimeoutSeconds: (value) => `${value} s après le SMS sans réponse, le contact est appelé.`,
    voiceAttempts: (value) => `Un contact qui ne répond pas est appelé ${value} fois par tour.`,
    voiceRetrySeconds: (value) => `${value} s après un appel sans succès, le suivant part.`,
    rounds: (value) => `Tous les contacts sont alertés ${value} fois de suite, puis avec des pauses plus longues.`,
    persistHours: (value) => `D’autres tours suivent jusqu’à ${value} h après le dernier appui.`,
    realarmSeconds: (value) => `Un nouvel appui alerte encore si ${value} s ont passé depuis la dernière alerte.`,
    watchMinutes: (value) => `${value} min après une réponse, on redemande à la personne qui aide.`,
    autoResolveHours: (value) => `${value} h après le dernier appui, le service clôt l’alerte et le dit.`,
    httpAttempts: (value) => `Chaque message est essayé ${value} fois.`,
    httpBackoffSeconds: (value) => `Pauses de ${value} s entre les essais\u00a0; la dernière se répète.`,
    httpTimeoutSeconds: (value) => `Un essai sans réponse a échoué après ${value} s.`,
  },
  never: { persistHours: 'Aucun autre tour.', watchMinutes: 'On ne redemande jamais.' },
}
