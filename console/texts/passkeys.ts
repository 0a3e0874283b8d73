import { ofName } from '../../src/core/text/grammar.ts'

/** Texts of passkeys, loaded with what uses them. */
const en = {
  title: 'Passkeys',
  means:
    'Sign in with your phone, computer or security key: its fingerprint, face or PIN replaces password and code. Both keep working in case the device is lost.',
  none: 'You have no passkey yet.',
  name: 'Name',
  nameHint: 'Which device it is, so that you recognise it here.',
  add: 'Add a passkey',
  added: 'The passkey has been added. The administrators are told.',
  addedAt: 'Added',
  usedAt: 'Last used',
  never: 'never',
  synced: 'on all devices of its account',
  elsewhere: (host: string) => `only at ${host}`,
  rename: 'Rename',
  renameTitle: 'Rename this passkey',
  remove: 'Remove',
  removeAsk: (name: string) => `Remove ${name}?`,
  removeMeans:
    'It no longer signs in. Browsers that are signed in stay so: end them below. Remove it on the device, too.',
  cancelled: 'Nothing happened: it was cancelled, or this device has no passkey for this site.',
  already: 'This device has a passkey of yours already.',
  notHere: 'This browser cannot use passkeys.',
  noUser: 'This device cannot check who holds it. Set up a PIN, fingerprint or face on it first.',
  otherAddress: (origin: string) => `Passkeys work only at ${origin}. Open the console there.`,
  why: {
    no_address: 'Passkeys need a public address of this site. An administrator sets it under Settings, Site.',
    not_https: 'Passkeys need https, and the public address of this site has none.',
    no_name: 'Passkeys need a host name, and the public address of this site is a number.',
    no_key: 'Passkeys do not work on this node: it lacks the key of the site. Its log says more.',
  } as Readonly<Record<string, string>>,
  reasons: {
    sign_in_refused:
      'This passkey was not accepted. Sign in with the password, and look whether it is in your account.',
    wrong_passkey: 'This passkey was not accepted. Try again, or use the password.',
    passkey_limit: 'You have ten passkeys. Remove one first.',
    passkey_taken: 'This passkey has been added already.',
    passkey_refused: 'The device did not confirm in time, or not who you are. Try again.',
  } as Readonly<Record<string, string>>,
  reset: 'Remove passkeys',
  resetAsk: (name: string) => `Remove all passkeys of ${name}?`,
  resetMeans: (name: string) =>
    `For a lost device. ${name} is signed out everywhere at once, also in the middle of an alarm, and signs in again with password and code.`,
}
type PasskeyWords = typeof en

const de: PasskeyWords = {
  title: 'Passkeys',
  means:
    'Melden Sie sich mit Handy, Computer oder Sicherheitsschlüssel an: Fingerabdruck, Gesicht oder PIN ersetzen Passwort und Code. Beide gelten weiter, falls das Gerät verloren geht.',
  none: 'Sie haben noch keinen Passkey.',
  name: 'Name',
  nameHint: 'Welches Gerät es ist, damit Sie es hier erkennen.',
  add: 'Passkey hinzufügen',
  added: 'Der Passkey wurde hinzugefügt. Die Administration wird informiert.',
  addedAt: 'Hinzugefügt',
  usedAt: 'Zuletzt benutzt',
  never: 'nie',
  synced: 'auf allen Geräten seines Kontos',
  elsewhere: (host) => `nur auf ${host}`,
  rename: 'Umbenennen',
  renameTitle: 'Passkey umbenennen',
  remove: 'Entfernen',
  removeAsk: (name) => `${name} entfernen?`,
  removeMeans:
    'Er meldet nicht mehr an. Angemeldete Browser bleiben angemeldet: Melden Sie sie unten ab. Entfernen Sie ihn auch auf dem Gerät.',
  cancelled: 'Nichts ist geschehen: Es wurde abgebrochen, oder dieses Gerät hat keinen Passkey für diese Website.',
  already: 'Dieses Gerät hat schon einen Passkey von Ihnen.',
  notHere: 'Dieser Browser kann keine Passkeys verwenden.',
  noUser:
    'Dieses Gerät kann nicht prüfen, wer es benutzt. Richten Sie dort zuerst PIN, Fingerabdruck oder Gesichtserkennung ein.',
  otherAddress: (origin) => `Passkeys gelten nur auf ${origin}. Öffnen Sie die Konsole dort.`,
  why: {
    no_address:
      'Passkeys brauchen eine öffentliche Adresse dieser Website. Die Administration trägt sie unter Einstellungen, Website ein.',
    not_https: 'Passkeys brauchen https, und die öffentliche Adresse dieser Website hat keines.',
    no_name: 'Passkeys brauchen einen Hostnamen, und die öffentliche Adresse dieser Website ist eine Zahl.',
    no_key: 'Passkeys gehen auf diesem Knoten nicht: Ihm fehlt der Schlüssel der Website. Sein Log sagt mehr.',
  },
  reasons: {
    sign_in_refused:
      'Dieser Passkey wurde nicht angenommen. Melden Sie sich mit dem Passwort an und sehen Sie nach, ob er in Ihrem Konto steht.',
    wrong_passkey: 'Dieser Passkey wurde nicht angenommen. Versuchen Sie es noch einmal oder mit dem Passwort.',
    passkey_limit: 'Sie haben zehn Passkeys. Entfernen Sie zuerst einen.',
    passkey_taken: 'Dieser Passkey wurde schon hinzugefügt.',
    passkey_refused:
      'Das Gerät hat nicht rechtzeitig bestätigt oder nicht geprüft, wer Sie sind. Versuchen Sie es noch einmal.',
  },
  reset: 'Passkeys entfernen',
  resetAsk: (name) => `Alle Passkeys von ${name} entfernen?`,
  resetMeans: (name) =>
    `Wenn ein Gerät verloren ist. ${name} ist sofort überall abgemeldet, auch mitten in einem Alarm, und meldet sich mit Passwort und Code wieder an.`,
}

const fr: PasskeyWords = {
  title: 'Clés d’accès',
  means:
    'Connectez-vous avec votre téléphone, votre ordinateur ou une clé de sécurité\u00a0: empreinte, visage ou code PIN remplacent mot de passe et code. Les deux restent valables si l’appareil est perdu.',
  none: 'Vous n’avez pas encore de clé d’accès.',
  name: 'Nom',
  nameHint: 'De quel appareil il s’agit, pour la reconnaître ici.',
  add: 'Ajouter une clé d’accès',
  added: 'La clé d’accès a été ajoutée. Les administrateurs en sont informés.',
  addedAt: 'Ajoutée',
  usedAt: 'Dernière utilisation',
  never: 'jamais',
  synced: 'sur tous les appareils de son compte',
  elsewhere: (host) => `seulement sur ${host}`,
  rename: 'Renommer',
  renameTitle: 'Renommer la clé d’accès',
  remove: 'Supprimer',
  removeAsk: (name) => `Supprimer ${name}\u00a0?`,
  removeMeans:
    'Elle ne permet plus de se connecter. Les navigateurs connectés le restent\u00a0: déconnectez-les ci-dessous. Supprimez-la aussi sur l’appareil.',
  cancelled: 'Rien ne s’est passé\u00a0: c’était annulé, ou cet appareil n’a pas de clé d’accès pour ce site.',
  already: 'Cet appareil a déjà une clé d’accès à vous.',
  notHere: 'Ce navigateur ne sait pas utiliser les clés d’accès.',
  noUser:
    'Cet appareil ne peut pas vérifier qui le tient. Configurez-y d’abord un code PIN, une empreinte ou un visage.',
  otherAddress: (origin) => `Les clés d’accès ne fonctionnent que sur ${origin}. Ouvrez la console à cette adresse.`,
  why: {
    no_address:
      'Les clés d’accès ont besoin d’une adresse publique du site. Un administrateur l’indique sous Réglages, Site.',
    not_https: 'Les clés d’accès ont besoin de https, et l’adresse publique du site n’en a pas.',
    no_name: 'Les clés d’accès ont besoin d’un nom d’hôte, et l’adresse publique du site est un nombre.',
    no_key:
      'Les clés d’accès ne fonctionnent pas sur ce nœud\u00a0: il n’a pas la clé du site. Son journal en dit plus.',
  },
  reasons: {
    sign_in_refused:
      'Cette clé d’accès n’a pas été acceptée. Connectez-vous avec le mot de passe et vérifiez si elle figure dans votre compte.',
    wrong_passkey: 'Cette clé d’accès n’a pas été acceptée. Réessayez, ou utilisez le mot de passe.',
    passkey_limit: 'Vous avez dix clés d’accès. Supprimez-en d’abord une.',
    passkey_taken: 'Cette clé d’accès a déjà été ajoutée.',
    passkey_refused: 'L’appareil n’a pas confirmé à temps, ou pas vérifié qui vous êtes. Réessayez.',
  },
  reset: 'Supprimer les clés d’accès',
  resetAsk: (name) => `Supprimer toutes les clés d’accès ${ofName(name)}\u00a0?`,
  resetMeans: (name) =>
    `Pour un appareil perdu. ${name} est aussitôt déconnecté partout, même au milieu d’une alerte, et se reconnecte avec mot de passe et code.`,
}

const it: PasskeyWords = {
  title: 'Passkey',
  means:
    'Acceda con il telefono, il computer o una chiave di sicurezza: impronta, volto o PIN sostituiscono password e codice. Entrambi restano validi se il dispositivo va perso.',
  none: 'Non ha ancora una passkey.',
  name: 'Nome',
  nameHint: 'Di quale dispositivo si tratta, per riconoscerla qui.',
  add: 'Aggiungi una passkey',
  added: 'La passkey è stata aggiunta. Gli amministratori vengono informati.',
  addedAt: 'Aggiunta',
  usedAt: 'Ultimo uso',
  never: 'mai',
  synced: 'su tutti i dispositivi del suo account',
  elsewhere: (host) => `solo su ${host}`,
  rename: 'Rinomina',
  renameTitle: 'Rinomina la passkey',
  remove: 'Rimuovi',
  removeAsk: (name) => `Rimuovere ${name}?`,
  removeMeans:
    'Non permette più di accedere. I browser connessi restano connessi: li disconnetta qui sotto. La rimuova anche dal dispositivo.',
  cancelled: 'Non è successo nulla: è stato annullato, o questo dispositivo non ha una passkey per questo sito.',
  already: 'Questo dispositivo ha già una Sua passkey.',
  notHere: 'Questo browser non può usare le passkey.',
  noUser: 'Questo dispositivo non può verificare chi lo usa. Vi imposti prima un PIN, un’impronta o il volto.',
  otherAddress: (origin) => `Le passkey funzionano solo su ${origin}. Apra la console a quell’indirizzo.`,
  why: {
    no_address:
      'Le passkey richiedono un indirizzo pubblico del sito. Un amministratore lo imposta in Impostazioni, Sito.',
    not_https: 'Le passkey richiedono https, e l’indirizzo pubblico del sito non lo ha.',
    no_name: 'Le passkey richiedono un nome host, e l’indirizzo pubblico del sito è un numero.',
    no_key: 'Le passkey non funzionano su questo nodo: gli manca la chiave del sito. Il suo log dice di più.',
  },
  reasons: {
    sign_in_refused:
      'Questa passkey non è stata accettata. Acceda con la password e verifichi se è presente nel Suo account.',
    wrong_passkey: 'Questa passkey non è stata accettata. Riprovi, o usi la password.',
    passkey_limit: 'Ha dieci passkey. Ne rimuova prima una.',
    passkey_taken: 'Questa passkey è già stata aggiunta.',
    passkey_refused: 'Il dispositivo non ha confermato in tempo, o non ha verificato chi è. Riprovi.',
  },
  reset: 'Rimuovi le passkey',
  resetAsk: (name) => `Rimuovere tutte le passkey di ${name}?`,
  resetMeans: (name) =>
    `Per un dispositivo perso. ${name} viene subito disconnesso ovunque, anche nel mezzo di un allarme, e accede di nuovo con password e codice.`,
}

const es: PasskeyWords = {
  title: 'Llaves de acceso',
  means:
    'Inicie sesión con su teléfono, su ordenador o una llave de seguridad: huella, rostro o PIN sustituyen a la contraseña y al código. Ambos siguen valiendo si se pierde el dispositivo.',
  none: 'Aún no tiene ninguna llave de acceso.',
  name: 'Nombre',
  nameHint: 'De qué dispositivo se trata, para reconocerla aquí.',
  add: 'Añadir una llave de acceso',
  added: 'La llave de acceso se ha añadido. Se informa a los administradores.',
  addedAt: 'Añadida',
  usedAt: 'Último uso',
  never: 'nunca',
  synced: 'en todos los dispositivos de su cuenta',
  elsewhere: (host) => `solo en ${host}`,
  rename: 'Cambiar el nombre',
  renameTitle: 'Cambiar el nombre de la llave de acceso',
  remove: 'Quitar',
  removeAsk: (name) => `¿Quitar ${name}?`,
  removeMeans:
    'Ya no permite iniciar sesión. Los navegadores con la sesión iniciada la conservan: ciérrela abajo. Quítela también del dispositivo.',
  cancelled: 'No ha pasado nada: se canceló, o este dispositivo no tiene una llave de acceso para este sitio.',
  already: 'Este dispositivo ya tiene una llave de acceso suya.',
  notHere: 'Este navegador no puede usar llaves de acceso.',
  noUser: 'Este dispositivo no puede comprobar quién lo usa. Configure antes en él un PIN, una huella o el rostro.',
  otherAddress: (origin) => `Las llaves de acceso solo funcionan en ${origin}. Abra la consola allí.`,
  why: {
    no_address:
      'Las llaves de acceso necesitan una dirección pública del sitio. Un administrador la indica en Ajustes, Sitio.',
    not_https: 'Las llaves de acceso necesitan https, y la dirección pública del sitio no lo tiene.',
    no_name: 'Las llaves de acceso necesitan un nombre de host, y la dirección pública del sitio es un número.',
    no_key: 'Las llaves de acceso no funcionan en este nodo: le falta la clave del sitio. Su registro dice más.',
  },
  reasons: {
    sign_in_refused:
      'Esta llave de acceso no se ha aceptado. Inicie sesión con la contraseña y mire si está en su cuenta.',
    wrong_passkey: 'Esta llave de acceso no se ha aceptado. Inténtelo de nuevo, o use la contraseña.',
    passkey_limit: 'Tiene diez llaves de acceso. Quite antes una.',
    passkey_taken: 'Esta llave de acceso ya se había añadido.',
    passkey_refused: 'El dispositivo no lo confirmó a tiempo, o no comprobó quién es. Inténtelo de nuevo.',
  },
  reset: 'Quitar las llaves de acceso',
  resetAsk: (name) => `¿Quitar todas las llaves de acceso de ${name}?`,
  resetMeans: (name) =>
    `Para un dispositivo perdido. ${name} queda sin sesión en todas partes al instante, también en medio de una alerta, y vuelve a iniciarla con contraseña y código.`,
}

export const passkeyWords = { en, de, fr, it, es }
