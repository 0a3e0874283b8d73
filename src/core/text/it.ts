import type { LanguageTexts } from './fixed-words.ts'

export const it: LanguageTexts = {
  phrases: {
    alarm: 'SOS: {who} ha bisogno di aiuto!',
    again: 'Nuovo SOS ({pressed}): {who} ha bisogno di aiuto!',
    helperSilent: 'SOS: {who} ha ancora bisogno di aiuto! {name} aveva risposto, ma non dà più notizie.',
    helperAlone: 'SOS: {who} ha ancora bisogno di aiuto! {name} sta aiutando, ma nessun altro ha risposto.',
    helperWithdrew: 'SOS: {who} ha ancora bisogno di aiuto! {name} non può più aiutare.',
    overdue: "SOS: nessuna notizia da {who} all'ora prevista ({due})!",
    overdueNote: 'Nota: {note}.',
    timerReminder:
      "{app}: per favore, dai tue notizie entro l'ora prevista ({due}). Altrimenti i tuoi contatti di emergenza saranno avvisati.",
    confirm: 'Risponda qui:',
    answer: 'Risposta via SMS: OK {code} o NO {code}.',
    answerHelps:
      "Grazie. La Sua risposta all'SOS di {who} è stata registrata: se ne occupa Lei. Se non è così, risponda NO {code}.",
    answerUnable:
      "La Sua risposta all'SOS di {who} è stata registrata: non può aiutare. Se invece può, risponda OK {code}.",
    answerWhich: "Per favore, risponda con il codice dell'SOS:",
    answerFor: 'OK {code} per {who}',
    answerOver: 'Questo SOS è già terminato. In caso di emergenza, chiami i soccorsi.',
    answerStopped: 'Non riceverà più nulla su {who}. Un errore? Risponda START o tocchi {link}',
    answerStarted: "Riceverà di nuovo i messaggi sull'SOS di {who}.",
    via: 'via {app}',
    late: 'Attivato: {pressed}, ricevuto: {received}.',
    position: 'Posizione {age}: {map}',
    noPosition: 'Posizione sconosciuta.',
    acknowledged: "{name} ha risposto all'SOS di {who} e se ne sta occupando.",
    unanswered: "Nessuno ha risposto all'SOS di {who}. Chiami {who} o i soccorsi!",
    checkIn: 'Si sta ancora occupando di {who}? Per favore, ci faccia sapere come va:',
    othersComing: 'Qualcuno sta andando da {who}, tra circa {n} min. Resti raggiungibile, per favore.',
    othersCalling: 'Qualcuno sta chiamando {who}. Resti raggiungibile, per favore.',
    othersHelped: 'Qualcuno sta aiutando {who}. Resti raggiungibile, per favore.',
    page: 'Pagina:',
    lastCall:
      "Nessuno ha confermato che {who} sia al sicuro! Chiusura automatica dell'allarme: {ends}. Per favore, verifichi subito come sta!",
    contactsChanged: "Durante l'allarme sono stati modificati dei contatti dal telefono di {who}.",
    accountChanged: "Durante l'allarme sono stati modificati nome, numero o dispositivi dal telefono di {who}.",
    nobodyLeft:
      'Nessun contatto di {who} è più disponibile: tutti hanno rifiutato i messaggi o non conoscono {who}. Se ne occupi Lei!',
    cancelled: "Cessato allarme: {who} ha annullato l'SOS.",
    resolved: "Cessato allarme: l'SOS di {who} è stato chiuso.",
    over: "Cessato allarme: l'SOS di {who} è terminato.",
    endedByUser: 'SOS chiuso dal telefono di {who}. Nessun altro lo ha confermato: chiami {who}!',
    endedBy: "Cessato allarme: {name} ha chiuso l'SOS di {who}.",
    closedAlone:
      "L'SOS di {who} è stato chiuso automaticamente dopo {after}. Nessuno ha confermato che {who} sia al sicuro. Per favore, chiami {who}!",
    closedAnswered:
      "L'SOS di {who} è stato chiuso automaticamente dopo {after}. Nonostante la risposta di {name}, nessuno ha confermato che {who} sia al sicuro.",
    operator: 'la centrale operativa',
    contactPerson: 'un contatto',
    now: 'adesso',
    minutes: '{n} min fa',
    hours: '{n} ore fa',
    days: '{n} giorni fa',
    test: 'PROVA: questo è un messaggio di prova di {app}. Nessuna emergenza.',
    verify: '{app}: {who} ha dato il Suo numero come contatto di emergenza. Confermi qui:',
    somebody: 'Qualcuno',
    spokenAlarm: 'Questa è una chiamata di emergenza. {who} ha bisogno di aiuto.',
    spokenAgain:
      "Questa è una nuova chiamata di emergenza. {who} ha attivato di nuovo l'SOS e ha bisogno di aiuto. Ora di attivazione: {pressed}.",
    spokenOverdue:
      "Questa è una chiamata di emergenza. {who} non ha dato notizie all'ora prevista e potrebbe avere bisogno di aiuto. Ora prevista: {due}.",
    spokenPosition: 'Ultima posizione nota, {age}: latitudine {latitude}, longitudine {longitude}.',
    spokenLink: 'Per favore, apra il link ricevuto via SMS.',
    spokenKeys: 'Prema 1 per confermare che se ne occupa Lei. Prema 2 per riascoltare il messaggio.',
    spokenKeyless: 'Durante questa chiamata non è possibile rispondere con i tasti.',
    spokenNoKey: 'Non ha premuto nessun tasto.',
    spokenWrongKey: 'Questo tasto non è valido.',
    spokenThanks: 'Grazie. La Sua risposta è stata registrata.',
    spokenOthers: "Un'altra persona se ne sta già occupando.",
    spokenFault: 'Non è stato possibile registrare la Sua risposta.',
    spokenGoodbye: 'Arrivederci.',
  },
  fixed: {
    drill: {
      prefix: 'ESERCITAZIONE:',
      spokenEnd: "ESERCITAZIONE: non c'è nessuna emergenza.",
      invented: 'fittizia',
      over: "L'esercitazione SOS per {who} è terminata. Ogni SOS senza la parola ESERCITAZIONE è reale!",
      unanswered: "Nessuno ha risposto all'esercitazione SOS per {who}.",
    },
    silent: {
      doNotCall: 'Non chiami {who} e non scriva: qualcuno potrebbe vederlo!',
      unanswered: "Nessuno ha risposto all'SOS di {who}. Chiami subito i soccorsi!",
      lastCall: "Nessuno ha confermato che {who} sia al sicuro! Chiusura automatica dell'allarme: {ends}.",
      endedByUser: 'SOS chiuso dal telefono di {who}. Nessun altro lo ha confermato.',
      closedAlone:
        "L'SOS di {who} è stato chiuso automaticamente dopo {after}. Nessuno ha confermato che {who} sia al sicuro.",
    },
    linkless: {
      checkIn: 'Si sta ancora occupando di {who}?',
      answerStopped: 'Non riceverà più nulla su {who}. Un errore? Risponda START.',
      number: 'Tel.',
    },
    battery: {
      phone: 'Batteria del telefono {n}% ({age}).',
      tracker: 'Batteria del localizzatore bassa ({age}).',
      spokenPhone: 'Batteria del telefono al {n} per cento, {age}.',
      spokenTracker: 'Batteria del localizzatore bassa, {age}.',
    },
    mail: { sender: 'Inviato da {app}.', noReply: 'Nessuno legge le risposte a questa e-mail.' },
    unknownDevice: 'Inviato dal dispositivo {device}, proprietario sconosciuto.',
    sms: {
      phoneCode: 'Il tuo codice per {app}: {code}. Non darlo a nessuno.',
      replaced: '{app}: il SOS per SMS non vale più da questo numero. Non eri tu? Controlla la tua app.',
      phoneLeaves:
        "{app}: uno dei tuoi telefoni verrà rimosso. Tra {hours} ore non potrà più dare l'allarme. Non eri tu? Annulla nell'app o avvisa la centrale operativa.",
      phoneLeft:
        "{app}: uno dei tuoi telefoni è stato rimosso e non può più dare l'allarme. Non eri tu? Avvisa la centrale operativa.",
      trackerLeft:
        "{app}: uno dei tuoi localizzatori è stato rimosso e non può più dare l'allarme per te. Non eri tu? Aggiungilo di nuovo nell'app o avvisa la centrale operativa.",
      erasure:
        "{app}: i tuoi dati verranno cancellati. Tra {hours} ore il tuo allarme non raggiungerà più nessuno. Non eri tu? Annulla nell'app o avvisa la centrale operativa.",
      alerted: 'Il tuo SOS è arrivato. Vengono avvisati: {names}.',
      desk: 'Il tuo SOS è arrivato alla centrale operativa.',
      later: 'I tuoi contatti saranno avvisati tra 2 minuti.',
      read: 'La centrale operativa e chi ti aiuta leggono ciò che scrivi qui.',
      notYou: 'Non eri tu? Rispondi NO {code}.',
      ended: "L'allarme è terminato. Ancora in pericolo? Invia di nuovo SOS.",
      goesOn: "L'allarme continua, perché è stato attivato anche nell'app. Terminalo nell'app.",
      fromDesk: 'centrale operativa',
      stopped: 'Qui non ricevi più messaggi sul tuo SOS. Per riceverne ancora, rispondi START.',
      started: 'Ricevi di nuovo qui i messaggi sul tuo SOS.',
    },
  },
}
