import type { Phrases } from './placeholders.ts'

export const de: Phrases = {
  alarm: 'SOS: {who} braucht Hilfe!',
  again: 'Erneut SOS ({pressed}): {who} braucht Hilfe!',
  helperSilent: 'SOS: {who} braucht weiterhin Hilfe! {name} hatte geantwortet, meldet sich aber nicht mehr.',
  helperWithdrew: 'SOS: {who} braucht weiterhin Hilfe! {name} kann doch nicht helfen.',
  confirm: 'Hier antworten:',
  answer: 'Antwort per SMS: OK {code} oder NEIN {code}.',
  answerHelps:
    'Danke. Ihre Antwort auf den SOS-Ruf von {who} ist angekommen: Sie helfen. Falls das nicht stimmt, antworten Sie NEIN {code}.',
  answerUnable:
    'Ihre Antwort auf den SOS-Ruf von {who} ist angekommen: Sie können nicht helfen. Falls doch, antworten Sie OK {code}.',
  answerWhich: 'Bitte antworten Sie mit dem Code des SOS-Rufs:',
  answerFor: 'OK {code} für {who}',
  answerOver: 'Dieser SOS-Ruf ist bereits beendet. Wählen Sie im Notfall den Notruf.',
  via: 'via {app}',
  late: 'Ausgelöst {pressed}, empfangen {received}.',
  position: 'Standort {age}: {map}',
  noPosition: 'Standort unbekannt.',
  acknowledged: '{name} hat auf den SOS-Ruf von {who} geantwortet und kümmert sich darum.',
  unanswered: 'Niemand hat auf den SOS-Ruf von {who} geantwortet. Rufen Sie {who} an oder wählen Sie den Notruf!',
  checkIn: 'Sind Sie noch bei {who}? Bitte geben Sie hier kurz Bescheid:',
  lastCall:
    'Niemand hat bestätigt, dass {who} in Sicherheit ist! Automatisches Ende des Alarms: {ends}. Bitte sehen Sie jetzt nach {who}!',
  cancelled: 'Entwarnung: {who} hat den SOS-Ruf abgebrochen.',
  resolved: 'Entwarnung: Der SOS-Ruf von {who} wurde beendet.',
  over: 'Entwarnung: Der SOS-Ruf von {who} ist vorbei.',
  endedByUser:
    'Der SOS-Ruf wurde am Telefon von {who} beendet. Sonst hat das niemand bestätigt: Bitte rufen Sie {who} an!',
  endedBy: 'Entwarnung: {name} hat den SOS-Ruf von {who} beendet.',
  closedAlone:
    'Der SOS-Ruf von {who} wurde nach {after} automatisch beendet. Niemand hat bestätigt, dass {who} in Sicherheit ist. Bitte rufen Sie {who} an!',
  closedAnswered:
    'Der SOS-Ruf von {who} wurde nach {after} automatisch beendet. Trotz der Antwort von {name} hat niemand bestätigt, dass {who} in Sicherheit ist.',
  operator: 'Der Betreiber des Dienstes',
  contactPerson: 'Ein Kontakt',
  now: 'gerade eben',
  minutes: 'vor {n} Min.',
  hours: 'vor {n} Std.',
  days: 'vor {n} Tagen',
  test: 'TEST: Dies ist eine Testnachricht von {app}. Es liegt kein Notfall vor.',
  verify: '{app}: {who} hat Sie als Notfallkontakt angegeben. Bitte hier bestätigen:',
  somebody: 'Jemand',
  spokenAlarm: 'Dies ist ein Notruf. {who} braucht Hilfe.',
  spokenAgain: 'Dies ist ein weiterer Notruf. {who} hat erneut SOS ausgelöst und braucht Hilfe. Zeitpunkt: {pressed}.',
  spokenPosition: 'Letzter bekannter Standort, {age}: Breitengrad {latitude}, Längengrad {longitude}.',
  spokenLink: 'Bitte öffnen Sie den Link in der SMS.',
  spokenKeys:
    'Drücken Sie die 1, wenn Sie sich darum kümmern. Drücken Sie die 2, um die Nachricht noch einmal zu hören.',
  spokenKeyless: 'Bei diesem Anruf können Sie nicht per Tastendruck antworten.',
  spokenNoKey: 'Sie haben keine Taste gedrückt.',
  spokenWrongKey: 'Diese Taste ist nicht belegt.',
  spokenThanks: 'Danke. Ihre Antwort ist angekommen.',
  spokenOthers: 'Jemand anderes kümmert sich bereits darum.',
  spokenFault: 'Ihre Antwort konnte nicht gespeichert werden.',
  spokenGoodbye: 'Auf Wiederhören.',
}
