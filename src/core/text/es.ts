import type { Phrases } from './placeholders.ts'

export const es: Phrases = {
  alarm: 'SOS: ¡{who} necesita ayuda!',
  again: 'Nuevo SOS ({pressed}): ¡{who} necesita ayuda!',
  helperSilent: 'SOS: ¡{who} sigue necesitando ayuda! {name} ha respondido, pero no ha vuelto a dar noticias.',
  helperWithdrew: 'SOS: ¡{who} sigue necesitando ayuda! {name} ya no puede ayudar.',
  overdue: 'SOS: ¡sin noticias de {who} a la hora prevista ({due})!',
  overdueNote: 'Nota: {note}.',
  timerReminder:
    '{app}: por favor, confirme que se encuentra bien antes de la hora prevista ({due}). Si no, avisaremos a sus contactos de emergencia.',
  confirm: 'Para responder:',
  answer: 'Respuesta por SMS: OK {code} o NO {code}.',
  answerHelps:
    'Gracias. Su respuesta al SOS de {who} ha quedado registrada: se ocupa usted. En caso de error, responda NO {code}.',
  answerUnable:
    'Su respuesta al SOS de {who} ha quedado registrada: no puede ayudar. Si al final puede, responda OK {code}.',
  answerWhich: 'Por favor, responda con una de estas opciones:',
  answerFor: 'OK {code} para {who}',
  answerOver: 'Este SOS ya ha terminado. En caso de emergencia, llame a emergencias.',
  via: 'mediante {app}',
  late: 'Activado: {pressed}, recibido: {received}.',
  position: 'Lugar ({age}): {map}',
  noPosition: 'Lugar desconocido.',
  acknowledged: '{name} ha respondido al SOS de {who} y se ocupa de ello.',
  unanswered: 'Nadie ha respondido al SOS de {who}. ¡Llame a {who} o a emergencias!',
  checkIn: '¿Sigue ayudando a {who}? Toque el enlace para dar noticias:',
  lastCall:
    '¡Nadie ha confirmado que {who} esté a salvo! Cierre de la alarma por el sistema: {ends}. ¡Compruebe ahora que todo va bien!',
  contactsChanged: 'Se han cambiado contactos desde el teléfono de {who} durante la alarma.',
  cancelled: 'Fin de la alarma: {who} ha cancelado el SOS.',
  resolved: 'Fin de la alarma: el SOS de {who} se ha cerrado.',
  over: 'Fin de la alarma: el SOS de {who} ha terminado.',
  endedByUser: 'SOS cerrado desde el teléfono de {who}. No lo ha confirmado ninguna otra persona: ¡llame a {who}!',
  endedBy: 'Fin de la alarma: {name} ha cerrado el SOS de {who}.',
  closedAlone:
    'El sistema ha cerrado el SOS de {who} tras {after}. Nadie ha confirmado que {who} esté a salvo. ¡Llame a {who}, por favor!',
  closedAnswered:
    'El sistema ha cerrado el SOS de {who} tras {after}. A pesar de la respuesta de {name}, nadie ha confirmado que {who} esté a salvo.',
  operator: 'la central',
  contactPerson: 'un contacto',
  now: 'ahora mismo',
  minutes: 'hace {n} min',
  hours: 'hace {n} h',
  days: 'hace {n} d',
  test: 'PRUEBA: mensaje de prueba de {app}. No hay ninguna emergencia.',
  verify: '{app}: {who} le ha indicado como contacto de emergencia. Toque para confirmar:',
  somebody: 'Alguien',
  spokenAlarm: 'Esta es una llamada de emergencia. {who} necesita ayuda.',
  spokenAgain:
    'Esta es una nueva llamada de emergencia. {who} ha vuelto a activar el SOS y necesita ayuda. Hora de la activación: {pressed}.',
  spokenOverdue:
    'Esta es una llamada de emergencia. {who} no ha dado noticias a la hora prevista y puede necesitar ayuda. Hora prevista: {due}.',
  spokenPosition: 'Última ubicación conocida, {age}: latitud {latitude}, longitud {longitude}.',
  spokenLink: 'Por favor, abra el enlace del mensaje de texto.',
  spokenKeys: 'Pulse 1 si se ocupa usted. Pulse 2 para volver a oír el mensaje.',
  spokenKeyless: 'Durante esta llamada no puede responder pulsando una tecla.',
  spokenNoKey: 'No ha pulsado ninguna tecla.',
  spokenWrongKey: 'Esa tecla no es válida.',
  spokenThanks: 'Gracias. Su respuesta ha quedado registrada.',
  spokenOthers: 'Otra persona ya se está ocupando de ello.',
  spokenFault: 'No se ha podido registrar su respuesta.',
  spokenGoodbye: 'Adiós.',
}
