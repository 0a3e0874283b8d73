/** Texts of people and their contacts as administrators change them, loaded with these forms. */
const en = {
  add: 'Add a person',
  addMeans:
    'For someone who carries only a tracker, or has no app yet. They get no SMS. To let them use the app, invite them on their page afterwards.',
  added: (name: string) => `${name} has been added.`,
  open: 'Open the page',
  edit: 'Change details',
  externalIdHint: 'With which your backend signs the person in. Leave empty if there is none: one is made.',
  phoneHint: 'With the country code, such as +4366012345678.',
  languageOf: 'Language of texts to the person',
  asApplication: 'As the application says',
  notesHint: 'Only operators read them.',
  groupsHint: 'Separated by commas, such as: Hut wardens, Night.',
  contacts: 'Change contacts',
  contactsMean: 'They are alarmed in this order.',
  duringAlarm:
    'An alarm is open. Who is added or gets another number is alarmed and sees the location. Who is removed sees it no longer. Each change stands in the timeline.',
  addContact: 'Add a contact',
  editContact: 'Edit',
  email: 'E-mail',
  emailHint: 'Gets a mail with each alarm, besides the SMS.',
  up: 'Earlier',
  down: 'Later',
  remove: 'Remove',
  removeAsk: (name: string) => `Remove ${name}?`,
  removeMeans: (name: string) => `${name} is no longer alarmed.`,
  removeLast: 'This is the last contact: afterwards nobody of their own is alarmed.',
  removeOpen:
    'In the open alarm the page of this contact says that the alarm is over. Texts and calls to them go on without a location until the alarm is repeated.',
  done: 'Done',
  saved: 'Saved.',
  warnings: {
    number_implausible:
      'Saved, but check the number: its country code or its length does not exist, or a zero behind the country code is too many.',
    number_is_own: 'Saved, but this is the person’s own number.',
    number_twice: 'Saved, but another contact has this number, too.',
  } as Readonly<Record<string, string>>,
}
type PeopleWords = typeof en

const de: PeopleWords = {
  add: 'Person hinzufügen',
  addMeans:
    'Für jemanden, der nur einen Tracker trägt oder noch keine App hat. Die Person bekommt keine SMS. Für die App laden Sie sie danach auf ihrer Seite ein.',
  added: (name) => `${name} ist hinzugefügt.`,
  open: 'Seite öffnen',
  edit: 'Angaben ändern',
  externalIdHint: 'Mit der Ihr Backend die Person anmeldet. Gibt es keine, leer lassen: Dann wird eine erzeugt.',
  phoneHint: 'Mit Ländervorwahl, etwa +4366012345678.',
  languageOf: 'Sprache der Texte an die Person',
  asApplication: 'Wie in der Anwendung',
  notesHint: 'Nur die Leitstelle liest sie.',
  groupsHint: 'Durch Kommas getrennt, etwa: Hüttenwirte, Nacht.',
  contacts: 'Kontakte ändern',
  contactsMean: 'Sie werden in dieser Reihenfolge alarmiert.',
  duringAlarm:
    'Ein Alarm ist offen. Wer hinzukommt oder eine andere Nummer bekommt, wird alarmiert und sieht den Standort. Wer entfernt wird, sieht ihn nicht mehr. Jede Änderung steht im Verlauf.',
  addContact: 'Kontakt hinzufügen',
  editContact: 'Bearbeiten',
  email: 'E-Mail',
  emailHint: 'Bekommt bei jedem Alarm neben der SMS eine E-Mail.',
  up: 'Früher',
  down: 'Später',
  remove: 'Entfernen',
  removeAsk: (name) => `${name} entfernen?`,
  removeMeans: (name) => `${name} wird nicht mehr alarmiert.`,
  removeLast: 'Das ist der letzte Kontakt: Danach wird niemand Eigenes mehr alarmiert.',
  removeOpen:
    'Im offenen Alarm zeigt die Seite dieses Kontakts, dass der Alarm beendet ist. SMS und Anrufe gehen ohne Standort weiter, bis erneut alarmiert wird.',
  done: 'Fertig',
  saved: 'Gespeichert.',
  warnings: {
    number_implausible:
      'Gespeichert. Bitte Nummer prüfen: Vorwahl oder Länge gibt es nicht, oder nach der Landesvorwahl steht eine Null zu viel.',
    number_is_own: 'Gespeichert. Das ist aber die eigene Nummer der Person.',
    number_twice: 'Gespeichert. Diese Nummer hat aber auch ein anderer Kontakt.',
  },
}

const fr: PeopleWords = {
  add: 'Ajouter une personne',
  addMeans:
    'Pour quelqu’un qui ne porte qu’une balise, ou n’a pas encore l’appli. La personne ne reçoit aucun SMS. Pour l’appli, invitez-la ensuite depuis sa page.',
  added: (name) => `${name} a été ajouté(e).`,
  open: 'Ouvrir la page',
  edit: 'Modifier les données',
  externalIdHint:
    'Celui avec lequel votre serveur identifie la personne. Laissez vide s’il n’y en a pas\u00a0: un identifiant est créé.',
  phoneHint: 'Avec l’indicatif du pays, par exemple +4366012345678.',
  languageOf: 'Langue des textes à la personne',
  asApplication: 'Celle de l’application',
  notesHint: 'Seul le centre d’alerte les lit.',
  groupsHint: 'Séparés par des virgules, par exemple\u00a0: Gardiens, Nuit.',
  contacts: 'Modifier les contacts',
  contactsMean: 'Ils sont alertés dans cet ordre.',
  duringAlarm:
    'Une alerte est ouverte. Un contact ajouté ou dont le numéro change est alerté et voit la position. Un contact supprimé ne la voit plus. Chaque modification figure dans la chronologie.',
  addContact: 'Ajouter un contact',
  editContact: 'Modifier',
  email: 'E-mail',
  emailHint: 'Reçoit un e-mail à chaque alerte, en plus du SMS.',
  up: 'Plus tôt',
  down: 'Plus tard',
  remove: 'Supprimer',
  removeAsk: (name) => `Supprimer ${name}\u00a0?`,
  removeMeans: (name) => `${name} n’est plus alerté(e).`,
  removeLast: 'C’est le dernier contact\u00a0: ensuite, aucun proche n’est alerté.',
  removeOpen:
    'Dans l’alerte ouverte, la page de ce contact indique que l’alerte est terminée. Les SMS et les appels continuent sans la position jusqu’à la prochaine alerte.',
  done: 'Terminé',
  saved: 'Enregistré.',
  warnings: {
    number_implausible:
      'Enregistré, mais vérifiez le numéro\u00a0: son indicatif ou sa longueur n’existe pas, ou un zéro est de trop après l’indicatif.',
    number_is_own: 'Enregistré, mais c’est le numéro de la personne elle-même.',
    number_twice: 'Enregistré, mais un autre contact a le même numéro.',
  },
}

const it: PeopleWords = {
  add: 'Aggiungi una persona',
  addMeans:
    'Per chi porta solo un localizzatore o non ha ancora l’app. La persona non riceve SMS. Per l’app, la si invita poi dalla sua pagina.',
  added: (name) => `${name}: persona aggiunta.`,
  open: 'Apri la pagina',
  edit: 'Modifica i dati',
  externalIdHint:
    'Quello con cui il Suo backend identifica la persona. Se non c’è, lasciare vuoto: ne viene creato uno.',
  phoneHint: 'Con il prefisso del Paese, per esempio +4366012345678.',
  languageOf: 'Lingua dei testi alla persona',
  asApplication: 'Quella dell’applicazione',
  notesHint: 'Le legge solo la centrale operativa.',
  groupsHint: 'Separati da virgole, per esempio: Gestori, Notte.',
  contacts: 'Modifica i contatti',
  contactsMean: 'Vengono allertati in quest’ordine.',
  duringAlarm:
    'C’è un allarme aperto. Chi viene aggiunto o riceve un altro numero viene allertato e vede la posizione. Chi viene rimosso non la vede più. Ogni modifica compare nella cronologia.',
  addContact: 'Aggiungi un contatto',
  editContact: 'Modifica',
  email: 'E-mail',
  emailHint: 'Riceve un’e-mail a ogni allarme, oltre all’SMS.',
  up: 'Prima',
  down: 'Dopo',
  remove: 'Rimuovi',
  removeAsk: (name) => `Rimuovi ${name}?`,
  removeMeans: (name) => `${name} non viene più allertato/a.`,
  removeLast: 'È l’ultimo contatto: dopo non viene più allertato nessuno di fiducia.',
  removeOpen:
    'Nell’allarme aperto la pagina di questo contatto dice che l’allarme è chiuso. SMS e chiamate continuano senza posizione fino al prossimo allarme.',
  done: 'Fatto',
  saved: 'Salvato.',
  warnings: {
    number_implausible:
      'Salvato, ma controlli il numero: il prefisso o la lunghezza non esiste, oppure dopo il prefisso del Paese c’è uno zero di troppo.',
    number_is_own: 'Salvato, ma è il numero della persona stessa.',
    number_twice: 'Salvato, ma anche un altro contatto ha questo numero.',
  },
}

const es: PeopleWords = {
  add: 'Añadir una persona',
  addMeans:
    'Para quien solo lleva un localizador o aún no tiene la app. La persona no recibe ningún SMS. Para la app, invítela después desde su página.',
  added: (name) => `${name}: persona añadida.`,
  open: 'Abrir la página',
  edit: 'Cambiar los datos',
  externalIdHint: 'Con el que su servidor identifica a la persona. Si no hay ninguno, déjelo vacío: se crea uno.',
  phoneHint: 'Con el prefijo del país, por ejemplo +4366012345678.',
  languageOf: 'Idioma de los textos a la persona',
  asApplication: 'El de la aplicación',
  notesHint: 'Solo las lee la central.',
  groupsHint: 'Separados por comas, por ejemplo: Guardas, Noche.',
  contacts: 'Cambiar los contactos',
  contactsMean: 'Se les alerta en este orden.',
  duringAlarm:
    'Hay una alarma abierta. A quien se añade o cambia de número se le alerta y ve la ubicación. Quien se quita ya no la ve. Cada cambio consta en la cronología.',
  addContact: 'Añadir un contacto',
  editContact: 'Editar',
  email: 'Correo electrónico',
  emailHint: 'Recibe un correo con cada alarma, además del SMS.',
  up: 'Antes',
  down: 'Después',
  remove: 'Quitar',
  removeAsk: (name) => `¿Quitar a ${name}?`,
  removeMeans: (name) => `Ya no se alerta a ${name}.`,
  removeLast: 'Es el último contacto: después no se alerta a nadie de su confianza.',
  removeOpen:
    'En la alarma abierta, la página de este contacto dice que la alarma ha terminado. Los SMS y las llamadas siguen sin ubicación hasta que se vuelva a alertar.',
  done: 'Listo',
  saved: 'Guardado.',
  warnings: {
    number_implausible:
      'Guardado, pero revise el número: su prefijo o su longitud no existe, o sobra un cero tras el prefijo del país.',
    number_is_own: 'Guardado, pero es el número de la propia persona.',
    number_twice: 'Guardado, pero otro contacto tiene también este número.',
  },
}

export const peopleWords = { en, de, fr, it, es }
