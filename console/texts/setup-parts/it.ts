import type { SetupPartTexts } from './en.ts'

export const setupParts: SetupPartTexts = {
  sections: {
    trackers: 'Profili dei localizzatori',
    emergency: 'Numeri di emergenza',
  },
  labels: {
    'map.overlays': 'Rifugi, sentieri ed eliporti',
    'lorawan.profiles': 'Profili propri',
    'tracking.emergencyNumbers': 'Numeri di emergenza per Paese',
    'twilio.pollSeconds': 'Chiedere le ricevute ogni (s)',
    'twilio.validitySeconds': 'Un SMS scade dopo (s)',
  },
  hints: {
    'map.overlays': 'File GeoJSON nella directory dei dati di ogni nodo, uno per riga. Li vede chiunque abbia un link.',
    'lorawan.profiles':
      'Quale uplink di quale modello è un SOS, come in docs/lorawan.md: incolli le righe da lì. I profili forniti ci sono anche senza.',
    'tracking.emergencyNumbers':
      'A chi aiuta si dice di comporli. Uno per riga, per esempio AT: 140. Per gli altri Paesi è mostrato quello consueto.',
  },
  problems: {
    'is in the local network or on this machine: list its host in notifications.lanHosts first; one on this machine is set in the file':
      'L’indirizzo è nella rete locale o su questa macchina. Nella rete locale, lo consenta prima in «Host della rete locale»; su questa macchina, solo nel file di configurazione.',
    'must be GeoJSON files (.geojson) in the data directory of this node':
      'Scelga file GeoJSON che sono nella directory dei dati di questo nodo.',
    'is not valid YAML': 'Non è YAML valido: controlli i rientri e i due punti.',
    'must be profiles by name, as in docs/lorawan.md': 'Inserisca i profili con il loro nome, come in docs/lorawan.md.',
    'must have at most 50 profiles, and 65536 characters together': 'Al massimo 50 profili e 65536 caratteri in tutto.',
    'is not an ISO 3166-1 alpha-2 country code in capitals': 'Cominci ogni riga con le due lettere del Paese.',
    'must be a number to dial': 'Inserisca un numero da comporre, per esempio 140.',
  },
  overridden: (name) => `Ciò che ${name} ha impostato qui non vale. Varrà di nuovo quando lì non ci sarà più.`,
  hostNeeded: (key) => `${key} è su uno degli host che toglie. Lo cambi prima.`,
  overlayFiles: (names) => `Su questo nodo: ${names}.`,
  noOverlayFiles: 'Su questo nodo non ce n’è ancora nessuno.',
  onlyInFile: {
    lead: 'Solo nel file di configurazione o nell’ambiente, poi riavvio:',
    why: {
      start: 'serve prima che il database sia aperto',
      listeners: 'porte e ciò che vi risponde',
      machine: 'file e programmi della macchina',
      guards: 'limiti che nessuna sessione della console sposta, e la sorveglianza di questo servizio',
      resources: 'quote di memoria, disco e connessioni',
      deletion: 'per quanto si conservano i dati: ciò che è cancellato non torna',
      defaults: 'valori predefiniti di applicazioni e dispositivi; quelli di un’applicazione sono nella sua pagina',
    },
  },
}
