import type { CertificateTexts } from './en.ts'

export const certificate: CertificateTexts = {
  labels: {
    'acme.enabled': 'Certificado de una CA pública',
    'acme.directory': 'Dirección de la CA',
    'acme.email': 'Correo para la CA',
    'acme.domains': 'Nombres del certificado',
    'http.acmePort': 'Puerto en el que pregunta la CA',
    'tls.names': 'Otros nombres del certificado local',
    'tls.pem': 'Certificado y clave privada',
  },
  hints: {
    'acme.directory': 'Vacío: Let’s Encrypt.',
    'acme.email': 'Adonde puede escribir la CA. Opcional.',
    'acme.domains': 'Uno por línea. Vacío: el nombre de la dirección pública.',
    'http.acmePort': 'La CA pregunta en el puerto 80: introduzca 80 o el puerto al que su router dirige el 80.',
    'tls.names': 'Uno por línea: un nombre de equipo o una dirección. Los de esta máquina ya están incluidos.',
    'tls.pem':
      'Pegue ambos o elija los archivos: primero su certificado, después los que llevan a su CA, y la clave privada sin contraseña.',
  },
  problems: {
    'must be a list of host names': 'Introduzca nombres de equipo como sos.example.org, uno por línea.',
    'must be a host name, such as sos.example.org': 'Cada línea es un nombre de equipo como sos.example.org.',
    'must be a list of host names and addresses': 'Cada línea es un nombre de equipo o una dirección.',
    'must be an e-mail address': 'Introduzca una dirección de correo.',
    'must be an https address': 'Introduzca una dirección que empiece por https://.',
    'must be a port from 0 to 65535, or off': 'Introduzca un puerto, como 80.',
    'is required with acme.enabled, or acme.domains':
      'Fije primero la dirección pública, con un nombre: el certificado es para él.',
    'must begin with https:// with acme.enabled, or no link would use the certificate':
      'La dirección pública tiene que empezar por https://.',
    'is required with acme.enabled (80, where the CA asks), or acme.dnsHook':
      'Introduzca el puerto en el que pregunta la CA: 80.',
    'must be off with http.trustProxy: the proxy in front ends TLS, so it needs the certificate, and clients would never see this one':
      'Un proxy delante de este servicio termina TLS (http.trustProxy): es él quien necesita el certificado; los teléfonos no verían este.',
    'must be off with https.port off: whatever ends TLS in front of this service needs the certificate':
      'Este servicio no tiene puerto https: lo que termina TLS delante de él necesita el certificado.',
    'must be off with tls.cert: a site has one certificate, your own or that of the CA':
      'El archivo de configuración indica un certificado propio (tls.cert): quítelo allí primero.',
    'must be off with tls.pem: a site has one certificate, your own or that of the CA':
      'Solo hay un certificado: el propio o el de la CA.',
    'must not be set with tls.cert: a site has one certificate':
      'El archivo de configuración indica un certificado propio (tls.cert): quítelo allí primero.',
    'must hold a certificate and its private key, both in PEM format':
      'Introduzca un certificado y su clave privada, ambos en formato PEM (-----BEGIN …).',
    'has a private key with a passphrase: remove it with openssl pkey -in KEY -out PLAIN':
      'La clave privada tiene contraseña. Quítela: openssl pkey -in KEY -out PLAIN',
    'has a private key that belongs to another certificate': 'La clave privada es de otro certificado.',
    'must begin with the certificate of the server, before those of its CA':
      'Su propio certificado va primero, antes de los de su CA.',
    'has a chain out of order: each certificate has to be issued by the one after it':
      'La cadena está desordenada: cada certificado tiene que estar emitido por el siguiente.',
    'has expired': 'Este certificado ha caducado.',
    'is not valid yet': 'Este certificado aún no es válido. Compruebe la fecha de esta máquina.',
    'names no host: a certificate for addresses alone goes into the file, as tls.cert':
      'Este certificado no nombra ningún equipo. Uno solo para direcciones va en el archivo de configuración (tls.cert).',
    'cannot be used: OpenSSL does not accept it': 'OpenSSL no acepta este certificado.',
  },
  problemOf: {
    noPort: (port, why) => `El puerto ${port} no se puede abrir en esta máquina: ${why}`,
    portUsed: 'lo tiene otro programa.',
    portForbidden: 'el servicio no tiene permiso. Los puertos por debajo de 1024 necesitan CAP_NET_BIND_SERVICE.',
    wildcard: (name) =>
      `${name} necesita acme.dnsHook, un programa de esta máquina: indíquelo en el archivo de configuración.`,
    addressOnly: (address) =>
      `La dirección pública es ${address} y el certificado es para un nombre: introduzca uno aquí.`,
  },
  panel: {
    which: 'Qué certificado',
    kinds: { local: 'El de la CA local', acme: 'De una CA pública (Let’s Encrypt)', own: 'Uno propio' },
    means: {
      local:
        'Lo emite este servicio. Los teléfonos lo rechazan mientras no confíen en su ca.crt: quien abre un enlace ve una advertencia.',
      acme: 'Los teléfonos confían en él. Se renueva automáticamente. La dirección pública tiene que ser un nombre que lleve aquí.',
      own: 'Para quien pide uno de sus nombres. Los demás reciben el de la CA local. Sustitúyalo antes de que caduque.',
    },
    now: 'En uso',
    ofCa: 'De la CA pública',
    own: 'El propio',
    local: 'El de la CA local',
    rejected: 'Los teléfonos lo rechazan.',
    until: (source, names, date) => `${source}, para ${names}, hasta el ${date}.`,
    inFile: 'El archivo de configuración indica el certificado (tls.cert) y tiene prioridad: cámbielo allí.',
    terms: 'Acepto las condiciones de la CA',
    termsLink: 'Condiciones de Let’s Encrypt',
    acceptFirst: 'Acepte primero las condiciones de la CA.',
    needsPem: 'Introduzca el certificado y su clave privada.',
    files: 'Elegir archivos',
    ordered: 'Guardado. El certificado llega en un minuto; si no, aquí se dice por qué.',
  },
}
