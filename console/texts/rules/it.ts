import type { rules as en } from './en.ts'

const times = (value: string): string => (value === '1' ? 'una volta' : `${value} volte`)

export const rules: typeof en = {
  sections: {
    messages: 'Primi messaggi',
    calls: 'Chiamate',
    unanswered: 'Finché nessuno risponde',
    helped: 'Finché qualcuno aiuta',
    end: 'La fine',
    machines: 'Chat, webhook e gateway',
  },
  means: {
    graceSeconds: (value) => `Per ${value} s non parte nulla: chi annulla entro allora non avvisa nessuno.`,
    contactIntervalSeconds: (value) => `${value} s dopo l’SMS a un contatto, il successivo riceve il suo.`,
    ackTimeoutSeconds: (value) => `${value} s dopo l’SMS senza risposta, il contatto viene chiamato.`,
    voiceAttempts: (value) => `Un contatto che non risponde viene chiamato ${times(value)} per giro.`,
    voiceRetrySeconds: (value) => `${value} s dopo una chiamata non riuscita segue la successiva.`,
    rounds: (value) => `Tutti i contatti vengono avvisati ${times(value)} di seguito, poi con pause più lunghe.`,
    persistHours: (value) => `Altri giri seguono fino a ${value} h dopo l’ultima pressione.`,
    realarmSeconds: (value) => `Un’altra pressione avvisa di nuovo se dall’ultimo avviso sono passati ${value} s.`,
    watchMinutes: (value) => `${value} min dopo una risposta si chiede di nuovo a chi aiuta.`,
    autoResolveHours: (value) => `${value} h dopo l’ultima pressione il servizio chiude l’allarme e lo comunica.`,
    httpAttempts: (value) => `Ogni messaggio viene tentato ${times(value)}.`,
    httpBackoffSeconds: (value) => `Pause di ${value} s tra i tentativi; l’ultima si ripete.`,
    httpTimeoutSeconds: (value) => `Un tentativo senza risposta è fallito dopo ${value} s.`,
  },
  never: { persistHours: 'Nessun altro giro.', watchMinutes: 'Non si chiede mai di nuovo.' },
}
