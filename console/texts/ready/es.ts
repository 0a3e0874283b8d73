import type { ReadyTexts } from './en.ts'

export const ready: ReadyTexts = {
  drills: {
    open: (count) => (count === 1 ? '1 SIMULACRO' : `${count} SIMULACROS`),
    nobodyInDanger: 'Nadie está en peligro.',
    isOne: 'SIMULACRO: nadie está en peligro y la ubicación es ficticia. Todo SOS sin esta palabra es real.',
    end: 'Terminar el simulacro',
    endAsk: '¿Terminar este simulacro?',
    endMeans: 'Se informa a todas las personas avisadas de que el simulacro ha terminado.',
    title: 'Simulacros',
    last90: 'Los últimos 90 días',
    start: 'Iniciar un simulacro',
    startAsk: (name) => `¿Iniciar un simulacro para ${name}?`,
    startAskAll: (name) => `¿Iniciar un simulacro para todas las personas de ${name}?`,
    everyone: 'Un simulacro por cada persona activa, 100 como máximo.',
    toContacts: 'Enviar a los teléfonos de los contactos',
    toOutbox:
      'No suena ningún teléfono: los SMS y las llamadas se quedan en la bandeja de salida. El chat y el webhook reciben los suyos.',
    phonesRing: (names) =>
      `Suenan teléfonos. Estas personas reciben mensajes que empiezan por SIMULACRO: ${names}. Avíselas antes.`,
    phonesRingAll:
      'Suenan teléfonos. Todos los contactos de estas personas reciben mensajes que empiezan por SIMULACRO. Avíselos antes.',
    noContacts: 'Sin contactos de emergencia: no se avisaría a nadie.',
    realWins:
      'Un SOS real termina el simulacro y se envía como siempre. Si no, termina automáticamente a los 30 minutos.',
    started: (count) => `Simulacros iniciados: ${count}.`,
    notStarted: (name, why) => `${name}: no iniciado, ${why}.`,
    passedOver: {
      incident_open: 'porque hay una alarma real abierta',
      drill_open: 'porque ya hay uno en curso',
      too_many_drills: 'porque esta aplicación ha tenido demasiados en 24 horas',
      drilled_lately: 'porque estos contactos han tenido uno en la última hora',
    },
    endOpen: 'Terminar los simulacros abiertos',
    endOpenAsk: (name) => `¿Terminar los simulacros abiertos de ${name}?`,
    ended: (count) => `Simulacros terminados: ${count}.`,
    report: 'Cómo fue el simulacro',
    toPhones: 'A los teléfonos de los contactos',
    toTheOutbox: 'A la bandeja de salida',
    went: 'Destino',
    firstAnswer: 'Primera respuesta',
    noAnswer: 'sin respuesta',
    answer: 'Respuesta',
    ways: 'Mensajes',
    failed: 'Fallidos',
    nothing: 'ninguno',
    after: (seconds) =>
      seconds === null ? 'sin respuesta' : seconds < 120 ? `tras ${seconds} s` : `tras ${Math.round(seconds / 60)} min`,
    overtaken: 'Lo terminó un SOS real o una restauración.',
    only: 'Simulacros en lugar de alarmas',
  },
}
