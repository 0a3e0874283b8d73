import type { CertificateTexts } from './en.ts'

export const certificate: CertificateTexts = {
  labels: {
    'acme.enabled': 'Certificato di una CA pubblica',
    'acme.directory': 'Indirizzo della CA',
    'acme.email': 'E-mail per la CA',
    'acme.domains': 'Nomi del certificato',
    'http.acmePort': 'Porta su cui chiede la CA',
    'tls.names': 'Altri nomi del certificato locale',
    'tls.pem': 'Certificato e chiave privata',
  },
  hints: {
    'acme.directory': 'Vuoto: Let’s Encrypt.',
    'acme.email': 'Dove la CA può scrivere. Facoltativo.',
    'acme.domains': 'Uno per riga. Vuoto: il nome host dell’indirizzo pubblico.',
    'http.acmePort': 'La CA chiede alla porta 80: inserisca 80, o la porta a cui il router dirige la porta 80.',
    'tls.names': 'Uno per riga: un nome host o un indirizzo. Quelli di questa macchina ci sono già.',
    'tls.pem':
      'Incolli entrambi o scelga i file: prima il Suo certificato, poi quelli che portano alla sua CA, e la chiave privata senza passphrase.',
  },
  problems: {
    'must be a list of host names': 'Inserisca nomi host come sos.example.org, uno per riga.',
    'must be a host name, such as sos.example.org': 'Ogni riga è un nome host come sos.example.org.',
    'must be a list of host names and addresses': 'Ogni riga è un nome host o un indirizzo.',
    'must be an e-mail address': 'Inserisca un indirizzo e-mail.',
    'must be an https address': 'Inserisca un indirizzo che inizia con https://.',
    'must be a port from 0 to 65535, or off': 'Inserisca una porta, come 80.',
    'is required with acme.enabled, or acme.domains':
      'Imposti prima l’indirizzo pubblico, con un nome: il certificato è per quello.',
    'must begin with https:// with acme.enabled, or no link would use the certificate':
      'L’indirizzo pubblico deve iniziare con https://.',
    'is required with acme.enabled (80, where the CA asks), or acme.dnsHook':
      'Inserisca la porta su cui chiede la CA: 80.',
    'must be off with http.trustProxy: the proxy in front ends TLS, so it needs the certificate, and clients would never see this one':
      'Un proxy davanti a questo servizio termina TLS (http.trustProxy): il certificato serve a lui, nessun telefono vedrebbe questo.',
    'must be off with https.port off: whatever ends TLS in front of this service needs the certificate':
      'Questo servizio non ha una porta https: il certificato serve a ciò che termina TLS davanti.',
    'must be off with tls.cert: a site has one certificate, your own or that of the CA':
      'Il file di configurazione indica un certificato proprio (tls.cert): lo tolga prima là.',
    'must be off with tls.pem: a site has one certificate, your own or that of the CA':
      'C’è un solo certificato: il proprio o quello della CA.',
    'must not be set with tls.cert: a site has one certificate':
      'Il file di configurazione indica un certificato proprio (tls.cert): lo tolga prima là.',
    'must hold a certificate and its private key, both in PEM format':
      'Inserisca un certificato e la sua chiave privata, entrambi in formato PEM (-----BEGIN …).',
    'has a private key with a passphrase: remove it with openssl pkey -in KEY -out PLAIN':
      'La chiave privata ha una passphrase. La tolga: openssl pkey -in KEY -out PLAIN',
    'has a private key that belongs to another certificate': 'La chiave privata è di un altro certificato.',
    'must begin with the certificate of the server, before those of its CA':
      'Il Suo certificato viene per primo, prima di quelli della sua CA.',
    'has a chain out of order: each certificate has to be issued by the one after it':
      'La catena è in disordine: ogni certificato deve essere emesso da quello che segue.',
    'has expired': 'Questo certificato è scaduto.',
    'is not valid yet': 'Questo certificato non è ancora valido. Controlli la data di questa macchina.',
    'names no host: a certificate for addresses alone goes into the file, as tls.cert':
      'Questo certificato non indica alcun nome host. Uno per soli indirizzi va nel file di configurazione (tls.cert).',
    'cannot be used: OpenSSL does not accept it': 'OpenSSL non accetta questo certificato.',
  },
  problemOf: {
    noPort: (port, why) => `La porta ${port} non si può aprire su questa macchina: ${why}`,
    portUsed: 'la usa un altro programma.',
    portForbidden: 'il servizio non ne ha il permesso. Le porte sotto 1024 richiedono CAP_NET_BIND_SERVICE.',
    wildcard: (name) =>
      `${name} richiede acme.dnsHook, un programma di questa macchina: lo indichi nel file di configurazione.`,
    addressOnly: (address) =>
      `L’indirizzo pubblico è ${address}, e il certificato è per un nome: ne inserisca uno qui.`,
  },
  panel: {
    which: 'Quale certificato',
    kinds: { local: 'Quello della CA locale', acme: 'Di una CA pubblica (Let’s Encrypt)', own: 'Uno proprio' },
    means: {
      local:
        'Emesso da questo servizio. I telefoni lo rifiutano finché non si fidano del suo ca.crt: chi apre un link vede un avviso.',
      acme: 'I telefoni se ne fidano. Si rinnova automaticamente. L’indirizzo pubblico deve essere un nome che porta qui.',
      own: 'Per chi chiede uno dei suoi nomi. Gli altri ricevono quello della CA locale. Lo sostituisca prima che scada.',
    },
    now: 'In uso',
    ofCa: 'Della CA pubblica',
    own: 'Il proprio',
    local: 'Quello della CA locale',
    rejected: 'I telefoni lo rifiutano.',
    until: (source, names, date) => `${source}, per ${names}, fino al ${date}.`,
    inFile: 'Il file di configurazione indica il certificato (tls.cert), che ha la precedenza: lo cambi là.',
    terms: 'Accetto le condizioni della CA',
    termsLink: 'Condizioni di Let’s Encrypt',
    acceptFirst: 'Accetti prima le condizioni della CA.',
    needsPem: 'Inserisca il certificato e la sua chiave privata.',
    files: 'Scegli i file',
    ordered: 'Salvato. Il certificato arriva entro un minuto; altrimenti qui si dice perché.',
  },
}
