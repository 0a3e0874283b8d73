import type { TrackerTexts } from './en.ts'

export const trackers: TrackerTexts = {
  tracker: {
    state: 'Stato',
    lastHeard: 'Ultimo segnale',
    battery: 'Batteria',
    unknown: 'Nessun dato',
    silentMeans: (time) => `Nessun segnale da: ${time}. Forse il localizzatore è spento, scarico o senza campo.`,
    flagMeans: (time) => `Il localizzatore segnala un SOS da: ${time}.`,
    disabledMeans:
      'Il proprietario o l’applicazione sono disattivati: il localizzatore non può trasmettere nulla, nemmeno un SOS.',
    unpairedMeans: 'Non abbinato: un SOS di questo localizzatore non avvisa alcun contatto.',
    silence: 'Se non dà più segnali',
    silenceOfAll: 'Se un localizzatore non dà più segnali',
    silenceMeans:
      'Senza segnali per questo tempo, la chat dell’applicazione viene avvisata e la console lo indica. Non è mai un SOS.',
    warn: 'Avvisa',
    never: 'Mai',
    after: 'Dopo un tempo proprio',
    afterAll: 'Dopo',
    asApplication: (interval) => `Come l’applicazione: ${interval}`,
    count: 'Quanto tempo',
    unit: 'Unità',
    units: { min: 'minuti', h: 'ore', d: 'giorni' },
    range: 'Da 15 minuti a 30 giorni.',
    token: 'Token e configurazione',
    tokenMeans:
      'Con un token proprio, un telefono con Traccar Client o OwnTracks, o un localizzatore che parla OsmAnd, trasmette da solo. Chi ha il token può trasmettere posizioni e lanciare un SOS a nome del proprietario.',
    noToken: 'Il localizzatore non ha un token.',
    tokenSince: (time) => `Il localizzatore ha un token da: ${time}.`,
    owner: 'Proprietario (codice esterno)',
    ownerHint: 'Il localizzatore viene prima abbinato a questa persona.',
    make: 'Crea un token',
    replace: 'Crea un nuovo token',
    replaceAsk: 'Creare un nuovo token?',
    replaceMeans:
      'Quello attuale smette subito di funzionare. Finché il nuovo non è configurato, il localizzatore non può inviare un SOS.',
    revoke: 'Revoca il token',
    revokeAsk: 'Revocare il token?',
    revokeMeans: 'Da ora il localizzatore non può più trasmettere nulla, nemmeno un SOS.',
    onlyNow: 'Viene mostrato solo ora. Scompare quando lascia questa pagina, o tra',
    hasReported: 'Funziona: il localizzatore ha trasmesso.',
    app: 'App o localizzatore',
    apps: {
      traccar: 'Traccar Client',
      ownTracks: 'OwnTracks',
      ownTracksMqtt: 'OwnTracks via MQTT',
      byHand: 'Manualmente',
    },
    howTo: {
      traccar: 'Lo scansioni nelle impostazioni di Traccar Client.',
      ownTracks: 'Lo scansioni con la fotocamera del telefono. OwnTracks trasmette solo posizioni, non ha un SOS.',
      ownTracksMqtt:
        'Lo scansioni con la fotocamera del telefono. Il telefono deve fidarsi del certificato del servizio. OwnTracks non ha un SOS.',
      byHand: 'Per tutto ciò che parla OsmAnd: l’indirizzo, e il token come identificativo.',
    },
    qrOf: (app) => `Codice QR per ${app}`,
    link: 'Link',
    address: 'Indirizzo',
    secret: 'Token',
    hide: 'Fatto: nascondi',
  },
  contactCheck: {
    state: 'Confermato',
    confirmed: 'Confermato',
    declined: 'Non conosce questa persona: avvisato per ultimo',
    open: 'Non ancora',
    ask: 'Chiedi conferma',
    asked: (name) =>
      `La domanda parte via SMS a ${name}, a meno che questo numero sia già stato interpellato oggi. La risposta apparirà qui.`,
    already: (name) => `${name} ha già confermato.`,
  },
  trackerRefusals: {
    bad_csv:
      'Non è stato registrato nulla. La prima riga deve essere hardwareId,pairingCode,model, seguita da al massimo 500 localizzatori.',
    user_not_found: 'Questa persona non esiste.',
    not_paired: 'Nessuno ha abbinato questo localizzatore. Indichi il proprietario.',
    paired_to_another: 'Un’altra persona ha abbinato questo localizzatore. Tolga prima l’abbinamento.',
    device_limit: 'Questa persona ha già il numero massimo di localizzatori. Tolga prima un abbinamento.',
    tracker_disabled:
      'Il proprietario o l’applicazione sono disattivati: nulla di ciò che il localizzatore invia verrebbe accettato.',
    verification_limit: 'Il limite è raggiunto: un numero viene interpellato una volta al giorno. Riprovi domani.',
    verification_used_up: 'Questo numero è stato interpellato tre volte e non lo sarà più. Telefoni.',
  },
}
