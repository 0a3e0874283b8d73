import type { LanguageTexts } from './fixed-words.ts'

export const de: LanguageTexts = {
  phrases: {
    alarm: 'SOS: {who} braucht Hilfe!',
    again: 'Erneut SOS ({pressed}): {who} braucht Hilfe!',
    helperSilent: 'SOS: {who} braucht weiterhin Hilfe! {name} hatte geantwortet, meldet sich aber nicht mehr.',
    helperAlone: 'SOS: {who} braucht weiterhin Hilfe! {name} hilft, aber sonst hat niemand geantwortet.',
    helperWithdrew: 'SOS: {who} braucht weiterhin Hilfe! {name} kann doch nicht helfen.',
    overdue: 'SOS: {who} hat sich bis {due} nicht gemeldet!',
    overdueNote: 'Notiz: {note}.',
    timerReminder: '{app}: Bitte melde dich bis {due} zurück. Sonst werden deine Notfallkontakte alarmiert.',
    confirm: 'Hier antworten:',
    answer: 'Antwort per SMS: OK {code} oder NEIN {code}.',
    answerHelps:
      'Danke. Ihre Antwort auf den SOS-Ruf von {who} ist angekommen: Sie helfen. Falls das nicht stimmt, antworten Sie NEIN {code}.',
    answerUnable:
      'Ihre Antwort auf den SOS-Ruf von {who} ist angekommen: Sie können nicht helfen. Falls doch, antworten Sie OK {code}.',
    answerWhich: 'Bitte antworten Sie mit dem Code des SOS-Rufs:',
    answerFor: 'OK {code} für {who}',
    answerOver: 'Dieser SOS-Ruf ist bereits beendet. Wählen Sie im Notfall den Notruf.',
    answerStopped:
      'Sie erhalten nichts mehr zu {who}. War das ein Versehen? Antworten Sie START oder tippen Sie auf {link}',
    answerStarted: 'Sie erhalten wieder Nachrichten zum SOS-Ruf von {who}.',
    via: 'via {app}',
    late: 'Ausgelöst {pressed}, empfangen {received}.',
    position: 'Standort {age}: {map}',
    noPosition: 'Standort unbekannt.',
    acknowledged: '{name} hat auf den SOS-Ruf von {who} geantwortet und kümmert sich darum.',
    unanswered: 'Niemand hat auf den SOS-Ruf von {who} geantwortet. Rufen Sie {who} an oder wählen Sie den Notruf!',
    checkIn: 'Kümmern Sie sich noch um {who}? Bitte geben Sie hier kurz Bescheid:',
    othersComing: 'Jemand kommt zu {who}, in etwa {n} min. Bitte bleiben Sie erreichbar.',
    othersCalling: 'Jemand ruft {who} an. Bitte bleiben Sie erreichbar.',
    othersHelped: 'Jemand hilft {who}. Bitte bleiben Sie erreichbar.',
    page: 'Seite:',
    lastCall:
      'Niemand hat bestätigt, dass {who} in Sicherheit ist! Automatisches Ende des Alarms: {ends}. Bitte sehen Sie jetzt nach {who}!',
    contactsChanged: 'Während des Alarms wurden vom Telefon von {who} aus Kontakte geändert.',
    accountChanged: 'Während des Alarms wurden vom Telefon von {who} aus Name, Nummer oder Geräte geändert.',
    nobodyLeft:
      'Kein Kontakt von {who} ist mehr da: Alle haben Nachrichten abbestellt oder kennen {who} nicht. Bitte übernehmen Sie!',
    cancelled: 'Entwarnung: {who} hat den SOS-Ruf abgebrochen.',
    resolved: 'Entwarnung: Der SOS-Ruf von {who} wurde beendet.',
    over: 'Entwarnung: Der SOS-Ruf von {who} ist vorbei.',
    endedByUser:
      'Der SOS-Ruf wurde vom Telefon von {who} aus beendet. Niemand sonst hat das bestätigt: Bitte rufen Sie {who} an!',
    endedBy: 'Entwarnung: {name} hat den SOS-Ruf von {who} beendet.',
    closedAlone:
      'Der SOS-Ruf von {who} wurde nach {after} automatisch beendet. Niemand hat bestätigt, dass {who} in Sicherheit ist. Bitte rufen Sie {who} an!',
    closedAnswered:
      'Der SOS-Ruf von {who} wurde nach {after} automatisch beendet. Trotz der Antwort von {name} hat niemand bestätigt, dass {who} in Sicherheit ist.',
    operator: 'Die Leitstelle',
    contactPerson: 'Ein Kontakt',
    now: 'gerade eben',
    minutes: 'vor {n} Min.',
    hours: 'vor {n} Std.',
    days: 'vor {n} Tagen',
    test: 'TEST: Dies ist eine Testnachricht von {app}. Es liegt kein Notfall vor.',
    verify: '{app}: {who} hat Sie als Notfallkontakt angegeben. Bitte hier bestätigen:',
    somebody: 'Jemand',
    spokenAlarm: 'Dies ist ein Notruf. {who} braucht Hilfe.',
    spokenAgain:
      'Dies ist ein weiterer Notruf. {who} hat erneut SOS ausgelöst und braucht Hilfe. Zeitpunkt: {pressed}.',
    spokenOverdue: 'Dies ist ein Notruf. {who} hat sich bis {due} nicht gemeldet und braucht vielleicht Hilfe.',
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
  },
  fixed: {
    drill: {
      prefix: 'ÜBUNG:',
      spokenEnd: 'ÜBUNG: Es liegt kein Notfall vor.',
      invented: 'erfunden',
      over: 'Die SOS-Übung für {who} ist beendet. Jeder SOS-Ruf ohne das Wort ÜBUNG ist echt!',
      unanswered: 'Niemand hat auf die SOS-Übung für {who} geantwortet.',
    },
    silent: {
      doNotCall: 'Rufen Sie {who} nicht an und schreiben Sie nicht: Jemand könnte es sehen!',
      unanswered: 'Niemand hat auf den SOS-Ruf von {who} geantwortet. Wählen Sie jetzt den Notruf!',
      lastCall: 'Niemand hat bestätigt, dass {who} in Sicherheit ist! Automatisches Ende des Alarms: {ends}.',
      endedByUser: 'Der SOS-Ruf wurde vom Telefon von {who} aus beendet. Niemand sonst hat das bestätigt.',
      closedAlone:
        'Der SOS-Ruf von {who} wurde nach {after} automatisch beendet. Niemand hat bestätigt, dass {who} in Sicherheit ist.',
    },
    linkless: {
      checkIn: 'Kümmern Sie sich noch um {who}?',
      answerStopped: 'Sie erhalten nichts mehr zu {who}. War das ein Versehen? Antworten Sie START.',
      number: 'Tel.',
    },
    battery: {
      phone: 'Handy-Akku {n}% ({age}).',
      tracker: 'Tracker-Akku fast leer ({age}).',
      spokenPhone: 'Akku des Telefons: {n} Prozent, {age}.',
      spokenTracker: 'Akku des Trackers fast leer, {age}.',
    },
    mail: { sender: 'Gesendet von {app}.', noReply: 'Antworten auf diese E-Mail liest niemand.' },
    unknownDevice: 'Gesendet von Gerät {device}, Besitzer unbekannt.',
    sms: {
      phoneCode: 'Dein Code für {app}: {code}. Gib ihn niemandem weiter.',
      replaced:
        '{app}: SOS per SMS gilt von dieser Nummer aus nicht mehr. Warst du das nicht? Sieh in deiner App nach.',
      phoneLeaves:
        '{app}: Eines deiner Handys wird entfernt. In {hours} Stunden kann es keinen Alarm mehr auslösen. Warst du das nicht? Mach es in der App rückgängig, oder melde dich bei der Leitstelle.',
      phoneLeft:
        '{app}: Eines deiner Handys wurde entfernt und kann keinen Alarm mehr auslösen. Warst du das nicht? Melde dich bei der Leitstelle.',
      trackerLeft:
        '{app}: Einer deiner Tracker wurde entfernt und kann keinen Alarm mehr für dich auslösen. Warst du das nicht? Füge ihn in der App wieder hinzu, oder melde dich bei der Leitstelle.',
      erasure:
        '{app}: Deine Daten werden gelöscht. In {hours} Stunden erreicht dein Alarm niemanden mehr. Warst du das nicht? Mach es in der App rückgängig, oder melde dich bei der Leitstelle.',
      alerted: 'Dein SOS ist angekommen. Alarmiert werden: {names}.',
      desk: 'Dein SOS ist bei der Leitstelle angekommen.',
      later: 'Deine Kontakte folgen in 2 Minuten.',
      read: 'Was du hierher schreibst, lesen Leitstelle und Helfende.',
      notYou: 'Warst du das nicht? Antworte NEIN {code}.',
      ended: 'Der SOS-Ruf ist beendet. Noch in Gefahr? Sende wieder SOS.',
      goesOn: 'Der SOS-Ruf geht weiter, denn er wurde auch in der App ausgelöst. Beende ihn dort.',
      fromDesk: 'Leitstelle',
      stopped: 'Du erhältst hier keine Nachrichten zu deinem SOS mehr. Wieder erhalten: Antworte START.',
      started: 'Du erhältst hier wieder Nachrichten zu deinem SOS.',
    },
  },
}
