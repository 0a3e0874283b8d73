import type { CertificateTexts } from './en.ts'

export const certificate: CertificateTexts = {
  labels: {
    'acme.enabled': 'Certificat d’une AC publique',
    'acme.directory': 'Adresse de l’AC',
    'acme.email': 'E-mail pour l’AC',
    'acme.domains': 'Noms du certificat',
    'http.acmePort': 'Port où l’AC interroge',
    'tls.names': 'Autres noms du certificat local',
    'tls.pem': 'Certificat et clé privée',
  },
  hints: {
    'acme.directory': 'Vide\u00a0: Let’s Encrypt.',
    'acme.email': 'Où l’AC peut écrire. Facultatif.',
    'acme.domains': 'Un par ligne. Vide\u00a0: l’hôte de l’adresse publique.',
    'http.acmePort':
      'L’AC interroge le port 80\u00a0: saisissez 80, ou le port vers lequel votre routeur dirige le port 80.',
    'tls.names': 'Un par ligne\u00a0: un nom d’hôte ou une adresse. Ceux de cette machine y sont déjà.',
    'tls.pem':
      'Collez les deux ou choisissez les fichiers\u00a0: d’abord votre certificat, puis ceux qui mènent à son AC, et la clé privée sans phrase secrète.',
  },
  problems: {
    'must be a list of host names': 'Saisissez des noms d’hôte comme sos.example.org, un par ligne.',
    'must be a host name, such as sos.example.org': 'Chaque ligne est un nom d’hôte comme sos.example.org.',
    'must be a list of host names and addresses': 'Chaque ligne est un nom d’hôte ou une adresse.',
    'must be an e-mail address': 'Saisissez une adresse e-mail.',
    'must be an https address': 'Saisissez une adresse qui commence par https://.',
    'must be a port from 0 to 65535, or off': 'Saisissez un port, comme 80.',
    'is required with acme.enabled, or acme.domains':
      'Définissez d’abord l’adresse publique, avec un nom\u00a0: le certificat est pour ce nom.',
    'must begin with https:// with acme.enabled, or no link would use the certificate':
      'L’adresse publique doit commencer par https://.',
    'is required with acme.enabled (80, where the CA asks), or acme.dnsHook':
      'Saisissez le port où l’AC interroge\u00a0: 80.',
    'must be off with http.trustProxy: the proxy in front ends TLS, so it needs the certificate, and clients would never see this one':
      'Un proxy devant ce service termine TLS (http.trustProxy)\u00a0: c’est lui qui a besoin du certificat, aucun téléphone ne verrait celui-ci.',
    'must be off with https.port off: whatever ends TLS in front of this service needs the certificate':
      'Ce service n’a pas de port https\u00a0: ce qui termine TLS devant lui a besoin du certificat.',
    'must be off with tls.cert: a site has one certificate, your own or that of the CA':
      'Le fichier de configuration nomme un certificat à vous (tls.cert)\u00a0: retirez-le d’abord là-bas.',
    'must be off with tls.pem: a site has one certificate, your own or that of the CA':
      'Un site a un seul certificat\u00a0: le vôtre ou celui de l’AC.',
    'must not be set with tls.cert: a site has one certificate':
      'Le fichier de configuration nomme un certificat à vous (tls.cert)\u00a0: retirez-le d’abord là-bas.',
    'must hold a certificate and its private key, both in PEM format':
      'Saisissez un certificat et sa clé privée, tous deux au format PEM (-----BEGIN …).',
    'has a private key with a passphrase: remove it with openssl pkey -in KEY -out PLAIN':
      'La clé privée a une phrase secrète. Retirez-la\u00a0: openssl pkey -in KEY -out PLAIN',
    'has a private key that belongs to another certificate': 'La clé privée est celle d’un autre certificat.',
    'must begin with the certificate of the server, before those of its CA':
      'Votre propre certificat vient en premier, avant ceux de son AC.',
    'has a chain out of order: each certificate has to be issued by the one after it':
      'La chaîne est dans le désordre\u00a0: chaque certificat doit être émis par le suivant.',
    'has expired': 'Ce certificat a expiré.',
    'is not valid yet': 'Ce certificat n’est pas encore valable. Vérifiez la date de cette machine.',
    'names no host: a certificate for addresses alone goes into the file, as tls.cert':
      'Ce certificat ne nomme aucun hôte. Un certificat pour des adresses seules va dans le fichier de configuration (tls.cert).',
    'cannot be used: OpenSSL does not accept it': 'OpenSSL n’accepte pas ce certificat.',
  },
  problemOf: {
    noPort: (port, why) => `Impossible d’ouvrir le port ${port} sur cette machine\u00a0: ${why}`,
    portUsed: 'un autre programme l’occupe.',
    portForbidden: 'le service n’en a pas le droit. Les ports inférieurs à 1024 demandent CAP_NET_BIND_SERVICE.',
    wildcard: (name) =>
      `${name} demande acme.dnsHook, un programme de cette machine\u00a0: nommez-le dans le fichier de configuration.`,
    addressOnly: (address) =>
      `L’adresse publique est ${address}, et le certificat est pour un nom\u00a0: saisissez-en un ici.`,
  },
  panel: {
    which: 'Quel certificat',
    kinds: { local: 'Celui de l’AC locale', acme: 'D’une AC publique (Let’s Encrypt)', own: 'Le mien' },
    means: {
      local:
        'Émis par ce service. Les téléphones le refusent tant qu’ils ne font pas confiance à son ca.crt\u00a0: qui ouvre un lien voit un avertissement.',
      acme: 'Les téléphones lui font confiance. Il est renouvelé automatiquement. L’adresse publique doit être un nom qui mène ici.',
      own: 'Pour qui demande un de ses noms. Les autres reçoivent celui de l’AC locale. Remplacez-le avant qu’il n’expire.',
    },
    now: 'En service',
    ofCa: 'De l’AC publique',
    own: 'Le vôtre',
    local: 'Celui de l’AC locale',
    rejected: 'Les téléphones le refusent.',
    until: (source, names, date) => `${source}, pour ${names}, jusqu’au ${date}.`,
    inFile: 'Le fichier de configuration nomme le certificat (tls.cert) et l’emporte\u00a0: changez-le là-bas.',
    terms: 'J’accepte les conditions de l’AC',
    termsLink: 'Conditions de Let’s Encrypt',
    acceptFirst: 'Acceptez d’abord les conditions de l’AC.',
    needsPem: 'Saisissez le certificat et sa clé privée.',
    files: 'Choisir des fichiers',
    ordered: 'Enregistré. Le certificat arrive en moins d’une minute\u00a0; sinon, la raison s’affiche ici.',
  },
}
