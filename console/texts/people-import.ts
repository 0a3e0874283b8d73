/** Texts of the import of people, loaded with it. */
const en = {
  title: 'Import people from a file',
  means:
    'Adds people and their contacts, and changes those who are there, by their external id. An empty cell changes nothing; nobody is removed. Nothing is written before you press Import.',
  file: 'CSV file',
  columns:
    'The first line names the columns: externalUserId, and any of name, phone, email, address, language, groups, notes, contact1Name, contact1Phone, contact1Email, contact1Language, contact2Name …',
  tooLarge: 'The file is larger than 512 KB. Split it, or leave columns out.',
  look: 'Check the file',
  preview: 'What the file does',
  added: (count: number) => (count === 1 ? '1 new person' : `${count} new people`),
  changed: (count: number) => (count === 1 ? '1 person changes' : `${count} people change`),
  unchanged: (count: number) => `${count} unchanged`,
  contacts: (added: number, changed: number) =>
    [`${added} new ${added === 1 ? 'contact' : 'contacts'}`, ...(changed === 0 ? [] : [`${changed} corrected`])].join(
      ', ',
    ),
  asks: (count: number) =>
    count === 1
      ? 'The new contact is asked by SMS to confirm.'
      : `The ${count} new contacts are asked by SMS to confirm, as many as the site asks in a day.`,
  inAlarm: (count: number) =>
    count === 1
      ? 'One of these people has an open alarm: their new contacts are alarmed at once and see the location.'
      : `${count} of these people have an open alarm: their new contacts are alarmed at once and see the location.`,
  rejected: (count: number) =>
    count === 1 ? '1 line is wrong and is left out:' : `${count} lines are wrong and are left out:`,
  doubts: (count: number) =>
    count === 1
      ? '1 number looks wrong. It is imported all the same:'
      : `${count} numbers look wrong. They are imported all the same:`,
  doubtOf: {
    number_implausible: 'unknown country code, impossible length, or a zero too many behind the country code.',
    number_is_own: 'the person’s own number.',
    number_twice: 'another contact’s number, too.',
  },
  at: (line: number, column: string | null) => (column === null ? `Line ${line}:` : `Line ${line}, ${column}:`),
  line: 'Line',
  what: 'What',
  whats: { new: 'new', changed: 'changes', same: 'unchanged' },
  changes: 'Changes',
  contact: (number: string) => `Contact ${number}`,
  nothing: 'There is nothing to import.',
  go: (count: number, left: number) =>
    `Import ${count === 1 ? '1 person' : `${count} people`}${left === 0 ? '' : `, leave out ${left} ${left === 1 ? 'line' : 'lines'}`}`,
  done: (added: number, changed: number, contacts: number) =>
    `Imported: ${added} new, ${changed} changed, ${contacts} new ${contacts === 1 ? 'contact' : 'contacts'}.`,
}
type ImportWords = typeof en

const de: ImportWords = {
  title: 'Personen aus einer Datei übernehmen',
  means:
    'Fügt Personen und ihre Kontakte hinzu und ändert vorhandene, nach ihrer externen Kennung. Eine leere Zelle ändert nichts; niemand wird entfernt. Vor „Importieren“ wird nichts geschrieben.',
  file: 'CSV-Datei',
  columns:
    'Die erste Zeile nennt die Spalten: externalUserId und beliebige von name, phone, email, address, language, groups, notes, contact1Name, contact1Phone, contact1Email, contact1Language, contact2Name …',
  tooLarge: 'Die Datei ist größer als 512 KB. Teilen Sie sie auf, oder lassen Sie Spalten weg.',
  look: 'Datei prüfen',
  preview: 'Was die Datei bewirkt',
  added: (count) => (count === 1 ? '1 neue Person' : `${count} neue Personen`),
  changed: (count) => (count === 1 ? '1 Person ändert sich' : `${count} Personen ändern sich`),
  unchanged: (count) => `${count} unverändert`,
  contacts: (added, changed) =>
    [
      `${added} ${added === 1 ? 'neuer Kontakt' : 'neue Kontakte'}`,
      ...(changed === 0 ? [] : [`${changed} korrigiert`]),
    ].join(', '),
  asks: (count) =>
    count === 1
      ? 'Der neue Kontakt wird per SMS um Bestätigung gebeten.'
      : `Die ${count} neuen Kontakte werden per SMS um Bestätigung gebeten, so viele, wie am Tag erlaubt sind.`,
  inAlarm: (count) =>
    count === 1
      ? 'Eine dieser Personen hat einen offenen Alarm: Ihre neuen Kontakte werden sofort alarmiert und sehen den Standort.'
      : `${count} dieser Personen haben einen offenen Alarm: Ihre neuen Kontakte werden sofort alarmiert und sehen den Standort.`,
  rejected: (count) =>
    count === 1
      ? '1 Zeile ist fehlerhaft und wird ausgelassen:'
      : `${count} Zeilen sind fehlerhaft und werden ausgelassen:`,
  doubts: (count) =>
    count === 1
      ? '1 Nummer sieht falsch aus. Sie wird trotzdem importiert:'
      : `${count} Nummern sehen falsch aus. Sie werden trotzdem importiert:`,
  doubtOf: {
    number_implausible: 'Vorwahl oder Länge gibt es nicht, oder nach der Landesvorwahl steht eine Null zu viel.',
    number_is_own: 'die eigene Nummer der Person.',
    number_twice: 'auch die Nummer eines anderen Kontakts.',
  },
  at: (line, column) => (column === null ? `Zeile ${line}:` : `Zeile ${line}, ${column}:`),
  line: 'Zeile',
  what: 'Was',
  whats: { new: 'neu', changed: 'ändert sich', same: 'unverändert' },
  changes: 'Änderungen',
  contact: (number) => `Kontakt ${number}`,
  nothing: 'Es gibt nichts zu importieren.',
  go: (count, left) =>
    `${count === 1 ? '1 Person' : `${count} Personen`} importieren${left === 0 ? '' : `, ${left} ${left === 1 ? 'Zeile' : 'Zeilen'} auslassen`}`,
  done: (added, changed, contacts) =>
    `Importiert: ${added} neu, ${changed} geändert, ${contacts} ${contacts === 1 ? 'neuer Kontakt' : 'neue Kontakte'}.`,
}

const fr: ImportWords = {
  title: 'Importer des personnes d’un fichier',
  means:
    'Ajoute des personnes et leurs contacts, et modifie celles qui existent, d’après leur identifiant externe. Une cellule vide ne change rien\u00a0; personne n’est supprimé. Rien n’est écrit avant «\u00a0Importer\u00a0».',
  file: 'Fichier CSV',
  columns:
    'La première ligne nomme les colonnes\u00a0: externalUserId, et au choix name, phone, email, address, language, groups, notes, contact1Name, contact1Phone, contact1Email, contact1Language, contact2Name …',
  tooLarge: 'Le fichier dépasse 512 Ko. Divisez-le, ou retirez des colonnes.',
  look: 'Vérifier le fichier',
  preview: 'Ce que fait le fichier',
  added: (count) => (count < 2 ? `${count} nouvelle personne` : `${count} nouvelles personnes`),
  changed: (count) => (count < 2 ? `${count} personne modifiée` : `${count} personnes modifiées`),
  unchanged: (count) => (count < 2 ? `${count} inchangée` : `${count} inchangées`),
  contacts: (added, changed) =>
    [
      `${added} ${added < 2 ? 'nouveau contact' : 'nouveaux contacts'}`,
      ...(changed === 0 ? [] : [`${changed} ${changed < 2 ? 'corrigé' : 'corrigés'}`]),
    ].join(', '),
  asks: (count) =>
    count < 2
      ? 'Le nouveau contact reçoit un SMS qui lui demande de confirmer.'
      : `Les ${count} nouveaux contacts reçoivent un SMS qui leur demande de confirmer, dans la limite du nombre permis par jour.`,
  inAlarm: (count) =>
    count < 2
      ? 'Une de ces personnes a une alerte ouverte\u00a0: ses nouveaux contacts sont alertés tout de suite et voient la position.'
      : `${count} de ces personnes ont une alerte ouverte\u00a0: leurs nouveaux contacts sont alertés tout de suite et voient la position.`,
  rejected: (count) =>
    count < 2
      ? `${count} ligne est incorrecte et n’est pas importée\u00a0:`
      : `${count} lignes sont incorrectes et ne sont pas importées\u00a0:`,
  doubts: (count) =>
    count < 2
      ? `${count} numéro semble incorrect. Il est importé quand même\u00a0:`
      : `${count} numéros semblent incorrects. Ils sont importés quand même\u00a0:`,
  doubtOf: {
    number_implausible: 'indicatif ou longueur impossible, ou un zéro de trop après l’indicatif.',
    number_is_own: 'le numéro de la personne elle-même.',
    number_twice: 'aussi le numéro d’un autre contact.',
  },
  at: (line, column) => (column === null ? `Ligne ${line}\u00a0:` : `Ligne ${line}, ${column}\u00a0:`),
  line: 'Ligne',
  what: 'Quoi',
  whats: { new: 'nouveau', changed: 'modifié', same: 'inchangé' },
  changes: 'Modifications',
  contact: (number) => `Contact ${number}`,
  nothing: 'Il n’y a rien à importer.',
  go: (count, left) =>
    `Importer ${count < 2 ? `${count} personne` : `${count} personnes`}${left === 0 ? '' : `, laisser ${left} ${left < 2 ? 'ligne' : 'lignes'}`}`,
  done: (added, changed, contacts) =>
    `Importé\u00a0: ${added} ${added < 2 ? 'nouvelle' : 'nouvelles'}, ${changed} ${changed < 2 ? 'modifiée' : 'modifiées'}, ${contacts} ${contacts < 2 ? 'nouveau contact' : 'nouveaux contacts'}.`,
}

const it: ImportWords = {
  title: 'Importa persone da un file',
  means:
    'Aggiunge persone e i loro contatti e modifica quelle che ci sono, in base al codice esterno. Una cella vuota non cambia nulla; nessuno viene rimosso. Prima di «Importa» non viene scritto nulla.',
  file: 'File CSV',
  columns:
    'La prima riga nomina le colonne: externalUserId e, a scelta, name, phone, email, address, language, groups, notes, contact1Name, contact1Phone, contact1Email, contact1Language, contact2Name …',
  tooLarge: 'Il file supera 512 KB. Lo divida, o tolga delle colonne.',
  look: 'Controlla il file',
  preview: 'Che cosa fa il file',
  added: (count) => (count === 1 ? '1 nuova persona' : `${count} nuove persone`),
  changed: (count) => (count === 1 ? '1 persona cambia' : `${count} persone cambiano`),
  unchanged: (count) => (count === 1 ? '1 invariata' : `${count} invariate`),
  contacts: (added, changed) =>
    [
      `${added} ${added === 1 ? 'nuovo contatto' : 'nuovi contatti'}`,
      ...(changed === 0 ? [] : [`${changed} ${changed === 1 ? 'corretto' : 'corretti'}`]),
    ].join(', '),
  asks: (count) =>
    count === 1
      ? 'Al nuovo contatto viene chiesta conferma per SMS.'
      : `Ai ${count} nuovi contatti viene chiesta conferma per SMS, entro il numero consentito al giorno.`,
  inAlarm: (count) =>
    count === 1
      ? 'Una di queste persone ha un allarme aperto: i suoi nuovi contatti vengono allertati subito e vedono la posizione.'
      : `${count} di queste persone hanno un allarme aperto: i loro nuovi contatti vengono allertati subito e vedono la posizione.`,
  rejected: (count) =>
    count === 1 ? '1 riga è errata e viene tralasciata:' : `${count} righe sono errate e vengono tralasciate:`,
  doubts: (count) =>
    count === 1
      ? '1 numero sembra errato. Viene importato comunque:'
      : `${count} numeri sembrano errati. Vengono importati comunque:`,
  doubtOf: {
    number_implausible: 'prefisso o lunghezza impossibile, oppure uno zero di troppo dopo il prefisso del Paese.',
    number_is_own: 'il numero della persona stessa.',
    number_twice: 'anche il numero di un altro contatto.',
  },
  at: (line, column) => (column === null ? `Riga ${line}:` : `Riga ${line}, ${column}:`),
  line: 'Riga',
  what: 'Che cosa',
  whats: { new: 'nuova', changed: 'cambia', same: 'invariata' },
  changes: 'Modifiche',
  contact: (number) => `Contatto ${number}`,
  nothing: 'Non c’è nulla da importare.',
  go: (count, left) =>
    `Importa ${count === 1 ? '1 persona' : `${count} persone`}${left === 0 ? '' : `, tralascia ${left} ${left === 1 ? 'riga' : 'righe'}`}`,
  done: (added, changed, contacts) =>
    `Importato: ${added} ${added === 1 ? 'nuova' : 'nuove'}, ${changed} ${changed === 1 ? 'modificata' : 'modificate'}, ${contacts} ${contacts === 1 ? 'nuovo contatto' : 'nuovi contatti'}.`,
}

const es: ImportWords = {
  title: 'Importar personas de un archivo',
  means:
    'Añade personas y sus contactos y cambia las que ya existen, por su identificador externo. Una celda vacía no cambia nada; no se quita a nadie. Antes de pulsar «Importar» no se escribe nada.',
  file: 'Archivo CSV',
  columns:
    'La primera línea nombra las columnas: externalUserId y, a elección, name, phone, email, address, language, groups, notes, contact1Name, contact1Phone, contact1Email, contact1Language, contact2Name …',
  tooLarge: 'El archivo supera los 512 KB. Divídalo o quite columnas.',
  look: 'Comprobar el archivo',
  preview: 'Qué hace el archivo',
  added: (count) => (count === 1 ? '1 persona nueva' : `${count} personas nuevas`),
  changed: (count) => (count === 1 ? '1 persona cambia' : `${count} personas cambian`),
  unchanged: (count) => `${count} sin cambios`,
  contacts: (added, changed) =>
    [
      `${added} ${added === 1 ? 'contacto nuevo' : 'contactos nuevos'}`,
      ...(changed === 0 ? [] : [`${changed} ${changed === 1 ? 'corregido' : 'corregidos'}`]),
    ].join(', '),
  asks: (count) =>
    count === 1
      ? 'Se pide confirmación por SMS al contacto nuevo.'
      : `Se pide confirmación por SMS a los ${count} contactos nuevos, hasta el número permitido por día.`,
  inAlarm: (count) =>
    count === 1
      ? 'Una de estas personas tiene una alarma abierta: se alerta enseguida a sus contactos nuevos, que ven la ubicación.'
      : `${count} de estas personas tienen una alarma abierta: se alerta enseguida a sus contactos nuevos, que ven la ubicación.`,
  rejected: (count) =>
    count === 1 ? '1 línea es incorrecta y se omite:' : `${count} líneas son incorrectas y se omiten:`,
  doubts: (count) =>
    count === 1
      ? '1 número parece incorrecto. Se importa de todos modos:'
      : `${count} números parecen incorrectos. Se importan de todos modos:`,
  doubtOf: {
    number_implausible: 'prefijo o longitud imposible, o sobra un cero tras el prefijo del país.',
    number_is_own: 'el número de la propia persona.',
    number_twice: 'también el número de otro contacto.',
  },
  at: (line, column) => (column === null ? `Línea ${line}:` : `Línea ${line}, ${column}:`),
  line: 'Línea',
  what: 'Qué',
  whats: { new: 'nueva', changed: 'cambia', same: 'sin cambios' },
  changes: 'Cambios',
  contact: (number) => `Contacto ${number}`,
  nothing: 'No hay nada que importar.',
  go: (count, left) =>
    `Importar ${count === 1 ? '1 persona' : `${count} personas`}${left === 0 ? '' : `, omitir ${left} ${left === 1 ? 'línea' : 'líneas'}`}`,
  done: (added, changed, contacts) =>
    `Importado: ${added} ${added === 1 ? 'nueva' : 'nuevas'}, ${changed} ${changed === 1 ? 'cambiada' : 'cambiadas'}, ${contacts} ${contacts === 1 ? 'contacto nuevo' : 'contactos nuevos'}.`,
}

export const importWords = { en, de, fr, it, es }
