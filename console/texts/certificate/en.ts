/** Texts of the certificate in the site's setup. */
export const certificate = {
  labels: {
    'acme.enabled': 'Certificate from a public CA',
    'acme.directory': 'Address of the CA',
    'acme.email': 'E-mail for the CA',
    'acme.domains': 'Names of the certificate',
    'http.acmePort': 'Port where the CA asks',
    'tls.names': 'Further names of the local certificate',
    'tls.pem': 'Certificate and private key',
  },
  hints: {
    'acme.directory': 'Empty: Let’s Encrypt.',
    'acme.email': 'Where the CA may write to. Optional.',
    'acme.domains': 'One on each line. Empty: the host of the public address.',
    'http.acmePort': 'The CA asks at port 80: enter 80, or the port to which your router leads port 80.',
    'tls.names': 'One on each line: a host name or an address. Those of this machine are in it anyway.',
    'tls.pem':
      'Paste both, or choose the files: your certificate first, then those that lead to its CA, and the private key without a passphrase.',
  },
  problems: {
    'must be a list of host names': 'Enter host names, such as sos.example.org, one on each line.',
    'must be a host name, such as sos.example.org': 'Each line is a host name, such as sos.example.org.',
    'must be a list of host names and addresses': 'Each line is a host name or an address.',
    'must be an e-mail address': 'Enter an e-mail address.',
    'must be an https address': 'Enter an address that begins with https://.',
    'must be a port from 0 to 65535, or off': 'Enter a port, such as 80.',
    'is required with acme.enabled, or acme.domains':
      'Set the public address first, with a name: the certificate is for it.',
    'must begin with https:// with acme.enabled, or no link would use the certificate':
      'The public address has to begin with https://.',
    'is required with acme.enabled (80, where the CA asks), or acme.dnsHook': 'Enter the port where the CA asks: 80.',
    'must be off with http.trustProxy: the proxy in front ends TLS, so it needs the certificate, and clients would never see this one':
      'A proxy in front of this service ends TLS (http.trustProxy): it needs the certificate, and phones would never see this one.',
    'must be off with https.port off: whatever ends TLS in front of this service needs the certificate':
      'This service has no https port: whatever ends TLS in front of it needs the certificate.',
    'must be off with tls.cert: a site has one certificate, your own or that of the CA':
      'The configuration file names a certificate of your own (tls.cert): remove it there first.',
    'must be off with tls.pem: a site has one certificate, your own or that of the CA':
      'A site has one certificate: your own or that of the CA.',
    'must not be set with tls.cert: a site has one certificate':
      'The configuration file names a certificate of your own (tls.cert): remove it there first.',
    'must hold a certificate and its private key, both in PEM format':
      'Enter a certificate and its private key, both in PEM format (-----BEGIN …).',
    'has a private key with a passphrase: remove it with openssl pkey -in KEY -out PLAIN':
      'The private key has a passphrase. Remove it: openssl pkey -in KEY -out PLAIN',
    'has a private key that belongs to another certificate': 'The private key belongs to another certificate.',
    'must begin with the certificate of the server, before those of its CA':
      'Your own certificate comes first, before those of its CA.',
    'has a chain out of order: each certificate has to be issued by the one after it':
      'The chain is out of order: each certificate has to be issued by the one after it.',
    'has expired': 'This certificate has expired.',
    'is not valid yet': 'This certificate is not valid yet. Check the date of this machine.',
    'names no host: a certificate for addresses alone goes into the file, as tls.cert':
      'This certificate names no host. One for addresses alone goes into the configuration file (tls.cert).',
    'cannot be used: OpenSSL does not accept it': 'OpenSSL does not accept this certificate.',
  },
  problemOf: {
    noPort: (port: string, why: string) => `Port ${port} cannot be opened on this machine: ${why}`,
    portUsed: 'another program has it.',
    portForbidden: 'the service has no permission. Ports below 1024 need CAP_NET_BIND_SERVICE.',
    wildcard: (name: string) =>
      `${name} needs acme.dnsHook, a program of this machine: set it in the configuration file.`,
    addressOnly: (address: string) =>
      `The public address is ${address}, and the certificate is for a name: enter one here.`,
  },
  panel: {
    which: 'Which certificate',
    kinds: { local: 'Of the local CA', acme: 'From a public CA (Let’s Encrypt)', own: 'My own' },
    means: {
      local:
        'Made by this service. Phones reject it until they trust its ca.crt: contacts who open a link see a warning.',
      acme: 'Phones trust it. It is renewed automatically. The public address has to be a name that leads here.',
      own: 'For clients that ask for one of its names. All others get the one of the local CA. You replace it before it ends.',
    },
    now: 'In use',
    ofCa: 'From the public CA',
    own: 'Your own',
    local: 'Of the local CA',
    rejected: 'Phones reject it.',
    until: (source: string, names: string, date: string) => `${source}, for ${names}, until ${date}.`,
    inFile: 'The configuration file names the certificate (tls.cert), and wins: change it there.',
    terms: 'I accept the terms of the CA',
    termsLink: 'Terms of Let’s Encrypt',
    acceptFirst: 'Accept the terms of the CA first.',
    needsPem: 'Enter the certificate and its private key.',
    files: 'Choose files',
    ordered: 'Saved. The certificate comes within a minute; if not, it says here why.',
  },
}

export type CertificateTexts = typeof certificate
