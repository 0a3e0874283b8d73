import type { CertificateTexts } from './en.ts'

export const certificate: CertificateTexts = {
  labels: {
    'acme.enabled': 'Zertifikat einer öffentlichen CA',
    'acme.directory': 'Adresse der CA',
    'acme.email': 'E-Mail für die CA',
    'acme.domains': 'Namen im Zertifikat',
    'http.acmePort': 'Port, an dem die CA anfragt',
    'tls.names': 'Weitere Namen im lokalen Zertifikat',
    'tls.pem': 'Zertifikat und privater Schlüssel',
  },
  hints: {
    'acme.directory': 'Leer: Let’s Encrypt.',
    'acme.email': 'Dorthin darf die CA schreiben. Freiwillig.',
    'acme.domains': 'Einer pro Zeile. Leer: der Rechnername aus der öffentlichen Adresse.',
    'http.acmePort': 'Die CA fragt an Port 80 an: Geben Sie 80 ein oder den Port, auf den Ihr Router Port 80 leitet.',
    'tls.names': 'Einer pro Zeile: ein Rechnername oder eine Adresse. Die dieses Rechners sind ohnehin dabei.',
    'tls.pem':
      'Fügen Sie beides ein oder wählen Sie die Dateien: zuerst Ihr Zertifikat, dann die bis zu seiner CA, und den privaten Schlüssel ohne Passphrase.',
  },
  problems: {
    'must be a list of host names': 'Geben Sie Rechnernamen wie sos.example.org ein, einen pro Zeile.',
    'must be a host name, such as sos.example.org': 'Jede Zeile ist ein Rechnername wie sos.example.org.',
    'must be a list of host names and addresses': 'Jede Zeile ist ein Rechnername oder eine Adresse.',
    'must be an e-mail address': 'Geben Sie eine E-Mail-Adresse ein.',
    'must be an https address': 'Geben Sie eine Adresse ein, die mit https:// beginnt.',
    'must be a port from 0 to 65535, or off': 'Geben Sie einen Port ein, etwa 80.',
    'is required with acme.enabled, or acme.domains':
      'Legen Sie zuerst die öffentliche Adresse fest, mit einem Namen: Für ihn ist das Zertifikat.',
    'must begin with https:// with acme.enabled, or no link would use the certificate':
      'Die öffentliche Adresse muss mit https:// beginnen.',
    'is required with acme.enabled (80, where the CA asks), or acme.dnsHook':
      'Geben Sie den Port ein, an dem die CA anfragt: 80.',
    'must be off with http.trustProxy: the proxy in front ends TLS, so it needs the certificate, and clients would never see this one':
      'Vor diesem Dienst beendet ein Proxy TLS (http.trustProxy): Er braucht das Zertifikat, dieses sähe nie ein Telefon.',
    'must be off with https.port off: whatever ends TLS in front of this service needs the certificate':
      'Dieser Dienst hat keinen https-Port: Was davor TLS beendet, braucht das Zertifikat.',
    'must be off with tls.cert: a site has one certificate, your own or that of the CA':
      'In der Konfigurationsdatei steht ein eigenes Zertifikat (tls.cert): Entfernen Sie es zuerst dort.',
    'must be off with tls.pem: a site has one certificate, your own or that of the CA':
      'Es gibt nur ein Zertifikat: Ihr eigenes oder das der CA.',
    'must not be set with tls.cert: a site has one certificate':
      'In der Konfigurationsdatei steht ein eigenes Zertifikat (tls.cert): Entfernen Sie es zuerst dort.',
    'must hold a certificate and its private key, both in PEM format':
      'Geben Sie ein Zertifikat und seinen privaten Schlüssel ein, beide im PEM-Format (-----BEGIN …).',
    'has a private key with a passphrase: remove it with openssl pkey -in KEY -out PLAIN':
      'Der private Schlüssel hat eine Passphrase. Entfernen Sie sie: openssl pkey -in KEY -out PLAIN',
    'has a private key that belongs to another certificate':
      'Der private Schlüssel gehört zu einem anderen Zertifikat.',
    'must begin with the certificate of the server, before those of its CA':
      'Ihr eigenes Zertifikat kommt zuerst, vor denen seiner CA.',
    'has a chain out of order: each certificate has to be issued by the one after it':
      'Die Kette ist in falscher Reihenfolge: Jedes Zertifikat muss vom nächsten ausgestellt sein.',
    'has expired': 'Dieses Zertifikat ist abgelaufen.',
    'is not valid yet': 'Dieses Zertifikat gilt noch nicht. Prüfen Sie das Datum dieses Rechners.',
    'names no host: a certificate for addresses alone goes into the file, as tls.cert':
      'Dieses Zertifikat nennt keinen Rechnernamen. Eines nur für Adressen gehört in die Konfigurationsdatei (tls.cert).',
    'cannot be used: OpenSSL does not accept it': 'OpenSSL nimmt dieses Zertifikat nicht an.',
  },
  problemOf: {
    noPort: (port, why) => `Port ${port} lässt sich auf diesem Rechner nicht öffnen: ${why}`,
    portUsed: 'Ein anderes Programm hat ihn.',
    portForbidden: 'Dem Dienst fehlt das Recht. Ports unter 1024 brauchen CAP_NET_BIND_SERVICE.',
    wildcard: (name) =>
      `${name} braucht acme.dnsHook, ein Programm dieses Rechners: Nennen Sie es in der Konfigurationsdatei.`,
    addressOnly: (address) =>
      `Die öffentliche Adresse ist ${address}, das Zertifikat ist aber für einen Namen: Geben Sie hier einen ein.`,
  },
  panel: {
    which: 'Welches Zertifikat',
    kinds: { local: 'Das der lokalen CA', acme: 'Von öffentlicher CA (Let’s Encrypt)', own: 'Ein eigenes' },
    means: {
      local:
        'Von diesem Dienst ausgestellt. Telefone lehnen es ab, solange sie seiner ca.crt nicht vertrauen: Wer einen Link öffnet, sieht eine Warnung.',
      acme: 'Telefone vertrauen ihm. Es wird selbsttätig erneuert. Die öffentliche Adresse muss ein Name sein, der hierher führt.',
      own: 'Für Geräte, die nach einem seiner Namen fragen. Alle anderen bekommen das der lokalen CA. Sie ersetzen es, bevor es abläuft.',
    },
    now: 'In Gebrauch',
    ofCa: 'Von der öffentlichen CA',
    own: 'Ihr eigenes',
    local: 'Das der lokalen CA',
    rejected: 'Telefone lehnen es ab.',
    until: (source, names, date) => `${source}, für ${names}, bis ${date}.`,
    inFile: 'Das Zertifikat steht in der Konfigurationsdatei (tls.cert) und hat Vorrang: Ändern Sie es dort.',
    terms: 'Ich nehme die Bedingungen der CA an',
    termsLink: 'Bedingungen von Let’s Encrypt',
    acceptFirst: 'Nehmen Sie zuerst die Bedingungen der CA an.',
    needsPem: 'Geben Sie das Zertifikat und seinen privaten Schlüssel ein.',
    files: 'Dateien wählen',
    ordered: 'Gespeichert. Das Zertifikat kommt innerhalb einer Minute; sonst steht hier, warum nicht.',
  },
}
