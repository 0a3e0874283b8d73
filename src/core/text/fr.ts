import type { LanguageTexts } from './fixed-words.ts'

export const fr: LanguageTexts = {
  phrases: {
    alarm: "SOS : {who} a besoin d'aide !",
    again: "Nouveau SOS ({pressed}) : {who} a besoin d'aide !",
    helperSilent: "SOS : {who} a toujours besoin d'aide ! {name} avait répondu, mais ne donne plus de nouvelles.",
    helperAlone: "SOS : {who} a toujours besoin d'aide ! {name} s'en occupe, mais personne d'autre n'a répondu.",
    helperWithdrew: "SOS : {who} a toujours besoin d'aide ! {name} ne peut plus aider.",
    overdue: "SOS : {who} n'a pas donné de nouvelles à l'heure prévue ({due}) !",
    overdueNote: 'Note : {note}.',
    timerReminder:
      "{app} : merci de donner de vos nouvelles avant {due}. Sinon, vos contacts d'urgence seront alertés.",
    confirm: 'Répondez ici :',
    answer: 'Réponse par SMS : OK {code} ou NON {code}.',
    answerHelps:
      "SOS {who} : merci, votre réponse est enregistrée, vous vous en occupez. En cas d'erreur, répondez NON {code}.",
    answerUnable:
      "SOS {who} : votre réponse est enregistrée, vous ne pouvez pas aider. En cas d'erreur, répondez OK {code}.",
    answerWhich: 'Merci de répondre avec le code du SOS :',
    answerFor: 'OK {code} pour {who}',
    answerOver: "Ce SOS est déjà terminé. En cas d'urgence, appelez les secours.",
    answerStopped: 'Vous ne recevrez plus rien au sujet de {who}. Une erreur ? Répondez START ou touchez {link}',
    answerStarted: 'SOS {who} : vous recevez de nouveau les messages.',
    via: 'via {app}',
    late: 'Appui : {pressed}, réception : {received}.',
    position: 'Position {age} : {map}',
    noPosition: 'Position inconnue.',
    acknowledged: "SOS {who} : {name} a répondu et s'en occupe.",
    unanswered: "SOS {who} : personne n'a répondu. Appelez {who} ou les secours !",
    checkIn: 'SOS {who} : vous en occupez-vous toujours ? Merci de donner des nouvelles ici :',
    othersComing: "Quelqu'un va rejoindre {who} dans environ {n} min. Merci de rester joignable.",
    othersCalling: "Quelqu'un appelle {who}. Merci de rester joignable.",
    othersHelped: "Quelqu'un aide {who}. Merci de rester joignable.",
    page: 'Page :',
    lastCall:
      "SOS {who} : personne n'a confirmé que tout va bien ! Fin automatique de l'alerte : {ends}. Prenez vite de ses nouvelles !",
    contactsChanged: "SOS {who} : des contacts ont été modifiés depuis son téléphone pendant l'alerte.",
    accountChanged: "SOS {who} : nom, numéro ou appareils ont été modifiés depuis son téléphone pendant l'alerte.",
    nobodyLeft:
      'SOS {who} : plus aucun contact. Tous ont refusé les messages ou ne connaissent pas cette personne. Prenez le relais !',
    cancelled: "Fin d'alerte : {who} a annulé le SOS.",
    resolved: "Fin d'alerte pour {who} : le SOS a été clos.",
    over: "Fin d'alerte pour {who} : le SOS est terminé.",
    endedByUser: "SOS {who} : terminé depuis son propre téléphone. Personne d'autre ne l'a confirmé : appelez {who} !",
    endedBy: "Fin d'alerte pour {who} : {name} a mis fin au SOS.",
    closedAlone:
      "SOS {who} : terminé automatiquement après {after}. Personne n'a confirmé que tout va bien. Appelez {who} !",
    closedAnswered:
      "SOS {who} : terminé automatiquement après {after}. Malgré une réponse ({name}), personne n'a confirmé que tout va bien.",
    operator: "le centre d'alerte",
    contactPerson: 'un contact',
    now: "à l'instant",
    minutes: 'il y a {n} min',
    hours: 'il y a {n} h',
    days: 'il y a {n} jours',
    test: "TEST : message de test envoyé par {app}. Il n'y a aucune urgence.",
    verify: "{app} : {who} a donné votre numéro comme contact d'urgence. Confirmez ici :",
    somebody: "Quelqu'un",
    spokenAlarm: "Ceci est un appel d'urgence. {who} a besoin d'aide.",
    spokenAgain:
      "Ceci est un nouvel appel d'urgence. {who} a de nouveau déclenché le SOS et a besoin d'aide. Heure du déclenchement : {pressed}.",
    spokenOverdue:
      "Ceci est un appel d'urgence. {who} n'a pas donné de nouvelles à l'heure prévue et a peut-être besoin d'aide. Heure prévue : {due}.",
    spokenPosition: 'Dernière position connue, {age} : latitude {latitude}, longitude {longitude}.',
    spokenLink: 'Veuillez ouvrir le lien reçu par SMS.',
    spokenKeys: 'Appuyez sur 1 si vous vous en occupez. Appuyez sur 2 pour réécouter le message.',
    spokenKeyless: "Pendant cet appel, vous ne pouvez pas répondre à l'aide des touches.",
    spokenNoKey: "Vous n'avez appuyé sur aucune touche.",
    spokenWrongKey: "Cette touche n'est pas valide.",
    spokenThanks: 'Merci. Votre réponse a bien été enregistrée.',
    spokenOthers: "Quelqu'un d'autre s'en occupe déjà.",
    spokenFault: "Votre réponse n'a pas pu être enregistrée.",
    spokenGoodbye: 'Au revoir.',
  },
  fixed: {
    drill: {
      prefix: 'EXERCICE :',
      spokenEnd: "EXERCICE : il n'y a aucune urgence.",
      invented: 'fictive',
      over: "L'exercice SOS pour {who} est terminé. Tout SOS sans le mot EXERCICE est réel !",
      unanswered: "Personne n'a répondu à l'exercice SOS pour {who}.",
    },
    silent: {
      doNotCall: "N'appelez pas {who}, n'envoyez pas de message : quelqu'un pourrait le voir !",
      unanswered: "SOS {who} : personne n'a répondu. Appelez les secours !",
      lastCall: "SOS {who} : personne n'a confirmé que tout va bien ! Fin automatique de l'alerte : {ends}.",
      endedByUser: "SOS {who} : terminé depuis son propre téléphone. Personne d'autre ne l'a confirmé.",
      closedAlone: "SOS {who} : terminé automatiquement après {after}. Personne n'a confirmé que tout va bien.",
    },
    linkless: {
      checkIn: 'SOS {who} : vous en occupez-vous toujours ?',
      answerStopped: 'Vous ne recevrez plus rien au sujet de {who}. Une erreur ? Répondez START.',
      number: 'Tél.',
    },
    battery: {
      phone: 'Batterie du téléphone {n}% ({age}).',
      tracker: 'Batterie de la balise faible ({age}).',
      spokenPhone: 'Batterie du téléphone : {n} pour cent, {age}.',
      spokenTracker: 'Batterie de la balise faible, {age}.',
    },
    mail: { sender: 'Envoyé par {app}.', noReply: 'Personne ne lit les réponses à cet e-mail.' },
    unknownDevice: "Envoyé par l'appareil {device}, porteur inconnu.",
    sms: {
      phoneCode: 'Votre code pour {app} : {code}. Ne le donnez à personne.',
      replaced:
        "{app} : le SOS par SMS ne compte plus depuis ce numéro. Ce n'était pas vous ? Vérifiez votre application.",
      phoneLeaves:
        "{app} : un de vos téléphones sera retiré. Dans {hours} heures, il ne pourra plus lancer d'alerte. Ce n'était pas vous ? Annulez dans l'application ou prévenez le centre de secours.",
      phoneLeft:
        "{app} : un de vos téléphones a été retiré et ne peut plus lancer d'alerte. Ce n'était pas vous ? Prévenez le centre de secours.",
      trackerLeft:
        "{app} : une de vos balises a été retirée et ne peut plus lancer d'alerte pour vous. Ce n'était pas vous ? Ajoutez-la de nouveau dans l'application ou prévenez le centre de secours.",
      erasure:
        "{app} : vos données seront effacées. Dans {hours} heures, votre alerte n'atteindra plus personne. Ce n'était pas vous ? Annulez dans l'application ou prévenez le centre de secours.",
      alerted: 'Votre SOS est arrivé. Personnes alertées : {names}.',
      desk: 'Votre SOS est arrivé au centre de secours.',
      later: 'Vos contacts seront alertés dans 2 minutes.',
      read: 'Le centre de secours et vos aides lisent ce que vous envoyez ici.',
      notYou: "Ce n'était pas vous ? Répondez NON {code}.",
      ended: "L'alerte est terminée. Toujours en danger ? Renvoyez SOS.",
      goesOn: "L'alerte continue, car elle a aussi été déclenchée dans l'application. Mettez-y fin dans l'application.",
      fromDesk: 'centre de secours',
      stopped: 'Plus de messages sur votre SOS ici. Pour en recevoir de nouveau, répondez START.',
      started: 'Vous recevez de nouveau ici les messages sur votre SOS.',
    },
  },
}
