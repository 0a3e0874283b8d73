import type { Phrases } from './phrases.ts'

export const es: Phrases = {
  alarm: 'SOS: ¡{who} necesita ayuda!',
  confirm: 'Por favor, confirme:',
  times: 'Pulsado {pressed}, recibido {received} UTC.',
  position: 'Lugar {age}: {map}',
  noPosition: 'Lugar desconocido.',
  cancelled: 'Fin de la alarma: {who} ha cancelado el SOS.',
  resolved: 'Fin de la alarma: el SOS de {who} se ha cerrado.',
  over: 'Fin de la alarma: el SOS de {who} ha terminado.',
  now: 'ahora mismo',
  minutes: 'hace {n} min',
  hours: 'hace {n} h',
  days: 'hace {n} d',
  test: 'PRUEBA: mensaje de prueba de {app}. No hay ninguna emergencia.',
  somebody: 'Alguien',
  spokenAlarm: 'Esto es una llamada de emergencia. {who} necesita ayuda.',
  spokenPosition: 'Última posición conocida, {age}: latitud {latitude}, longitud {longitude}.',
  spokenLink: 'Por favor, abra el enlace del mensaje de texto.',
}
