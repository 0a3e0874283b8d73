import type { rules as en } from './en.ts'

const times = (value: string): string => (value === '1' ? 'una vez' : `${value} veces`)

export const rules: typeof en = {
  sections: {
    messages: 'Primeros mensajes',
    calls: 'Llamadas',
    unanswered: 'Mientras nadie responda',
    helped: 'Mientras alguien ayude',
    end: 'El final',
    machines: 'Chat, webhook y pasarela',
  },
  means: {
    graceSeconds: (value) => `Durante ${value} s no se envía nada: quien cancele hasta entonces no avisa a nadie.`,
    contactIntervalSeconds: (value) => `${value} s después del SMS a un contacto, el siguiente recibe el suyo.`,
    ackTimeoutSeconds: (value) => `${value} s después del SMS sin respuesta, se llama al contacto.`,
    voiceAttempts: (value) => `A un contacto que no contesta se le llama ${times(value)} por ronda.`,
    voiceRetrySeconds: (value) => `${value} s después de una llamada fallida se hace la siguiente.`,
    rounds: (value) =>
      `Se avisa a todos los contactos ${times(value)}, sin pausas largas; después, con pausas más largas.`,
    persistHours: (value) => `Hay más rondas hasta ${value} h después de la última pulsación.`,
    realarmSeconds: (value) => `Otra pulsación vuelve a avisar si han pasado ${value} s desde el último aviso.`,
    watchMinutes: (value) => `${value} min después de una respuesta se vuelve a preguntar a quien ayuda.`,
    autoResolveHours: (value) =>
      `${value} h después de la última pulsación, el servicio cierra la alarma y lo comunica.`,
    httpAttempts: (value) => `Cada mensaje se intenta ${times(value)}.`,
    httpBackoffSeconds: (value) => `Pausas de ${value} s entre los intentos; la última se repite.`,
    httpTimeoutSeconds: (value) => `Un intento sin respuesta ha fallado después de ${value} s.`,
  },
  never: { persistHours: 'No hay más rondas.', watchMinutes: 'No se vuelve a preguntar.' },
}
