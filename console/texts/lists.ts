/** Texts of empty lists, and the questions before a change that silences something, loaded with these views. */
const en = {
  noMatch: 'Nothing matches. Change the search or the filters.',
  noPeople: 'No people yet.',
  noTrackers: 'No trackers yet.',
  noExercises: 'No exercises yet.',
  allReady: 'Nobody: everyone could be helped today.',
  noOutbox: 'Empty: no message was kept on this machine.',
  noDeadLetters: 'None: everything that arrived could be processed.',
  noFeedback: 'No feedback yet.',
  unpairAsk: (id: string) => `Unpair ${id}?`,
  unpairMeans: 'Until it is paired again, an SOS from it alerts no contacts.',
  revokeAsk: (name: string) => `Revoke “${name}”?`,
  revokeMeans: 'Whatever uses this token stops at once. A wall screen with it shows no more alarms.',
  disableAsk: (name: string) => `Disable ${name}?`,
  disableMeans: 'They are signed out everywhere, and cannot sign in until you enable them again.',
}
type ListWords = typeof en

const de: ListWords = {
  noMatch: 'Nichts gefunden. Ändern Sie die Suche oder die Filter.',
  noPeople: 'Noch keine Personen.',
  noTrackers: 'Noch keine Tracker.',
  noExercises: 'Noch keine Übungen.',
  allReady: 'Niemand: Allen könnte heute geholfen werden.',
  noOutbox: 'Leer: Keine Nachricht ist auf diesem Rechner geblieben.',
  noDeadLetters: 'Keine: Alles Empfangene war brauchbar.',
  noFeedback: 'Noch keine Rückmeldungen.',
  unpairAsk: (id) => `${id} entkoppeln?`,
  unpairMeans: 'Bis er wieder gekoppelt ist, alarmiert ein SOS von ihm keine Kontakte.',
  revokeAsk: (name) => `„${name}“ widerrufen?`,
  revokeMeans:
    'Was dieses Token benutzt, funktioniert sofort nicht mehr. Eine Wandanzeige damit zeigt keine Alarme mehr.',
  disableAsk: (name) => `${name} sperren?`,
  disableMeans: 'Das Konto wird überall abgemeldet und kann sich erst nach der Freigabe wieder anmelden.',
}

const fr: ListWords = {
  noMatch: 'Aucun résultat. Modifiez la recherche ou les filtres.',
  noPeople: 'Aucune personne pour l’instant.',
  noTrackers: 'Aucune balise pour l’instant.',
  noExercises: 'Aucun exercice pour l’instant.',
  allReady: 'Personne\u00a0: tout le monde pourrait être secouru aujourd’hui.',
  noOutbox: 'Vide\u00a0: aucun message n’est resté sur cette machine.',
  noDeadLetters: 'Aucun\u00a0: tout ce qui est arrivé a pu être traité.',
  noFeedback: 'Aucun avis pour l’instant.',
  unpairAsk: (id) => `Dissocier ${id}\u00a0?`,
  unpairMeans: 'Tant qu’elle n’est pas de nouveau associée, un SOS de cette balise n’alerte aucun contact.',
  revokeAsk: (name) => `Révoquer «\u00a0${name}\u00a0»\u00a0?`,
  revokeMeans:
    'Tout ce qui utilise ce jeton s’arrête aussitôt. Un écran mural qui s’en sert n’affiche plus aucune alerte.',
  disableAsk: (name) => `Désactiver ${name}\u00a0?`,
  disableMeans: 'Ce compte est déconnecté partout et ne peut plus se connecter avant d’être réactivé.',
}

const it: ListWords = {
  noMatch: 'Nessun risultato. Cambi la ricerca o i filtri.',
  noPeople: 'Ancora nessuna persona.',
  noTrackers: 'Ancora nessun localizzatore.',
  noExercises: 'Ancora nessuna esercitazione.',
  allReady: 'Nessuno: oggi tutti potrebbero essere soccorsi.',
  noOutbox: 'Vuota: nessun messaggio è rimasto su questa macchina.',
  noDeadLetters: 'Nessuno: tutto ciò che è arrivato è stato elaborato.',
  noFeedback: 'Ancora nessun commento.',
  unpairAsk: (id) => `Togliere l’abbinamento di ${id}?`,
  unpairMeans: 'Finché non viene abbinato di nuovo, un suo SOS non avvisa alcun contatto.',
  revokeAsk: (name) => `Revocare «${name}»?`,
  revokeMeans:
    'Tutto ciò che usa questo token si ferma subito. Uno schermo a parete che lo usa non mostra più allarmi.',
  disableAsk: (name) => `Disattivare ${name}?`,
  disableMeans: 'L’account viene disconnesso ovunque e non può più accedere finché non lo riattiva.',
}

const es: ListWords = {
  noMatch: 'Sin resultados. Cambie la búsqueda o los filtros.',
  noPeople: 'Aún no hay personas.',
  noTrackers: 'Aún no hay localizadores.',
  noExercises: 'Aún no hay simulacros.',
  allReady: 'Nadie: hoy se podría ayudar a todos.',
  noOutbox: 'Vacía: ningún mensaje se ha quedado en esta máquina.',
  noDeadLetters: 'Ninguno: todo lo recibido se pudo procesar.',
  noFeedback: 'Aún no hay opiniones.',
  unpairAsk: (id) => `¿Desvincular ${id}?`,
  unpairMeans: 'Hasta que se vuelva a vincular, un SOS suyo no avisa a ningún contacto.',
  revokeAsk: (name) => `¿Revocar «${name}»?`,
  revokeMeans:
    'Todo lo que usa este token deja de funcionar al instante. Una pantalla de pared con él ya no muestra alarmas.',
  disableAsk: (name) => `¿Desactivar a ${name}?`,
  disableMeans: 'Se cierra su sesión en todas partes y no puede volver a entrar hasta que se active de nuevo.',
}

export const listWords = { en, de, fr, it, es }
