/** Texts of pairing a tracker with a person, and of models, loaded with these forms. */
const en = {
  title: 'Pair with a person',
  means: 'For a tracker without an app: from then on its SOS is this person’s alarm. They need no pairing code.',
  who: 'Name, number, id or group',
  nobody: 'Nobody found. Add the person under People first.',
  pair: 'Pair',
  more: 'There are more: write a longer part of the name.',
  unknownModel: (model: string) =>
    `There is no profile for ${model}: over LoRaWAN, its uplinks raise no SOS. Pick a model, or add a profile in Site setup.`,
  codeHint: 'Only for someone who pairs it in an app. Leave empty if you pair it with a person here.',
  registered: 'Registered. Pair it with a person:',
  codeMade: (code: string) => `Pairing code, shown only once: ${code}`,
  modelHint: 'As a profile is called. Only LoRaWAN trackers need it.',
  losesProfile: (names: string) =>
    `Registered trackers use a profile that this removes: ${names}. Without it, their SOS is not recognised.`,
}
type PairingWords = typeof en

const de: PairingWords = {
  title: 'Mit einer Person koppeln',
  means:
    'Für einen Tracker ohne App: Von da an ist sein SOS ein Alarm dieser Person. Einen Kopplungscode braucht sie nicht.',
  who: 'Name, Nummer, Kennung oder Gruppe',
  nobody: 'Niemand gefunden. Legen Sie die Person zuerst unter „Personen“ an.',
  pair: 'Koppeln',
  more: 'Es gibt mehr: Bitte einen längeren Teil des Namens eingeben.',
  unknownModel: (model) =>
    `Für ${model} gibt es kein Profil: Über LoRaWAN lösen seine Meldungen kein SOS aus. Wählen Sie ein Modell, oder legen Sie in der Einrichtung ein Profil an.`,
  codeHint: 'Nur, wenn jemand ihn in einer App koppelt. Leer lassen, wenn Sie ihn hier mit einer Person koppeln.',
  registered: 'Angelegt. Jetzt mit einer Person koppeln:',
  codeMade: (code) => `Kopplungscode, nur jetzt zu sehen: ${code}`,
  modelHint: 'Wie ein Profil heißt. Nur für LoRaWAN-Tracker nötig.',
  losesProfile: (names) =>
    `Angelegte Tracker nutzen ein Profil, das damit entfällt: ${names}. Ohne es wird ihr SOS nicht erkannt.`,
}

const fr: PairingWords = {
  title: 'Associer à une personne',
  means:
    'Pour une balise sans appli\u00a0: dès lors, son SOS est une alerte de cette personne. Elle n’a pas besoin du code.',
  who: 'Nom, numéro, identifiant ou groupe',
  nobody: 'Personne trouvé. Ajoutez d’abord la personne sous «\u00a0Personnes\u00a0».',
  pair: 'Associer',
  more: 'Il y en a d’autres\u00a0: saisissez une plus grande partie du nom.',
  unknownModel: (model) =>
    `Il n’y a pas de profil pour ${model}\u00a0: par LoRaWAN, ses messages ne déclenchent aucun SOS. Choisissez un modèle, ou ajoutez un profil dans la configuration du site.`,
  codeHint: 'Seulement si quelqu’un l’associe dans une appli. Laissez vide si vous l’associez ici à une personne.',
  registered: 'Enregistrée. Associez-la à une personne\u00a0:',
  codeMade: (code) => `Code d’association, affiché une seule fois\u00a0: ${code}`,
  modelHint: 'Le nom d’un profil. Nécessaire seulement pour les balises LoRaWAN.',
  losesProfile: (names) =>
    `Des balises enregistrées utilisent un profil qui disparaît\u00a0: ${names}. Sans lui, leur SOS n’est pas reconnu.`,
}

const it: PairingWords = {
  title: 'Associa a una persona',
  means:
    'Per un localizzatore senza app: da quel momento il suo SOS è un allarme di questa persona. Non le serve alcun codice.',
  who: 'Nome, numero, codice o gruppo',
  nobody: 'Nessuno trovato. Aggiunga prima la persona sotto «Persone».',
  pair: 'Associa',
  more: 'Ce ne sono altri: scriva una parte più lunga del nome.',
  unknownModel: (model) =>
    `Non c’è un profilo per ${model}: via LoRaWAN i suoi messaggi non attivano alcun SOS. Scelga un modello o aggiunga un profilo nella configurazione del sito.`,
  codeHint: 'Solo se qualcuno lo associa in un’app. Lasciare vuoto se lo si associa qui a una persona.',
  registered: 'Registrato. Ora va associato a una persona:',
  codeMade: (code) => `Codice di associazione, mostrato una sola volta: ${code}`,
  modelHint: 'Il nome di un profilo. Serve solo ai localizzatori LoRaWAN.',
  losesProfile: (names) =>
    `Localizzatori registrati usano un profilo che così sparisce: ${names}. Senza, il loro SOS non viene riconosciuto.`,
}

const es: PairingWords = {
  title: 'Vincular con una persona',
  means: 'Para un localizador sin app: desde entonces su SOS es una alarma de esta persona. No necesita ningún código.',
  who: 'Nombre, número, identificador o grupo',
  nobody: 'No se encontró a nadie. Añada antes a la persona en «Personas».',
  pair: 'Vincular',
  more: 'Hay más: escriba una parte más larga del nombre.',
  unknownModel: (model) =>
    `No hay perfil para ${model}: por LoRaWAN sus mensajes no activan ningún SOS. Elija un modelo o añada un perfil en la configuración del sitio.`,
  codeHint: 'Solo si alguien lo vincula en una app. Déjelo vacío si lo vincula aquí con una persona.',
  registered: 'Registrado. Vincúlelo con una persona:',
  codeMade: (code) => `Código de vinculación, se muestra una sola vez: ${code}`,
  modelHint: 'El nombre de un perfil. Solo lo necesitan los localizadores LoRaWAN.',
  losesProfile: (names) =>
    `Hay localizadores registrados que usan un perfil que así desaparece: ${names}. Sin él no se reconoce su SOS.`,
}

export const pairingWords = { en, de, fr, it, es }
