import { type Language, textLanguage } from '../../../../core/text/phrases.ts'

/** All texts of the page that helps people to trust the local CA. Steps name what a system shows in that language. */
export type TrustTexts = {
  readonly language: Language
  readonly title: string
  readonly lead: string
  readonly nothingTitle: string
  readonly nothing: string
  /** For phones that opened the site over plain HTTP. */
  readonly noHttpsTitle: string
  readonly noHttps: string
  readonly compare: string
  readonly fingerprint: string
  readonly only: string
  readonly download: string
  readonly after: string
  readonly systems: readonly (readonly [system: string, steps: readonly string[]])[]
}

const texts: Readonly<Record<Language, TrustTexts>> = {
  en: {
    language: 'en',
    title: 'Make this phone trust the site',
    lead: 'Once, so that the SOS app works without a connection and may send your position.',
    nothingTitle: 'There is nothing to do',
    nothing: 'This site has no certificate that you would have to install.',
    noHttpsTitle: 'The app needs https',
    noHttps:
      'Phones open this site without https. The SOS app then opens only with a connection, and browsers do not let it send your position. The operator has to give the site an https address (publicUrl).',
    compare:
      'First compare the fingerprint with the one that the operator gave you, on paper or by phone. If they differ, install nothing: somebody may be listening.',
    fingerprint: 'Fingerprint (SHA-256)',
    only: 'With it this site can vouch for these names and their subdomains, and for no other site:',
    download: 'Download the certificate',
    after: 'Then open the app again. If the browser still warns, restart it.',
    systems: [
      [
        'Android',
        [
          'Download the certificate.',
          'Open the settings and search for “CA certificate”.',
          'Tap “Install anyway” and choose the file.',
        ],
      ],
      [
        'iPhone, iPad',
        [
          'Download it in Safari and tap “Allow”.',
          'Settings, “Profile Downloaded”, “Install”.',
          'Settings, General, About, “Certificate Trust Settings”: switch it on.',
        ],
      ],
      [
        'Windows',
        [
          'Open the file and choose “Install Certificate”.',
          'Choose “Place all certificates in the following store”, “Trusted Root Certification Authorities”.',
        ],
      ],
      ['macOS', ['Open the file: it is in Keychain Access.', 'Double-click it, “Trust”, “Always Trust”.']],
      [
        'Firefox, Linux',
        [
          'Settings, search for “certificates”, “View Certificates”, “Authorities”, “Import”.',
          'Tick “Trust this CA to identify websites”.',
        ],
      ],
    ],
  },
  de: {
    language: 'de',
    title: 'Damit dieses Handy der Seite vertraut',
    lead: 'Einmal, damit die SOS-App auch ohne Verbindung aufgeht und deine Position senden darf.',
    nothingTitle: 'Es ist nichts zu tun',
    nothing: 'Diese Seite hat kein Zertifikat, das du installieren müsstest.',
    noHttpsTitle: 'Die App braucht https',
    noHttps:
      'Handys öffnen diese Seite ohne https. Dann geht die SOS-App nur mit Verbindung auf, und der Browser lässt sie deine Position nicht senden. Der Betreiber muss der Seite eine Adresse mit https geben (publicUrl).',
    compare:
      'Vergleiche zuerst den Fingerabdruck mit dem, den du vom Betreiber bekommen hast, auf Papier oder am Telefon. Sind sie verschieden, installiere nichts: Jemand hört vielleicht mit.',
    fingerprint: 'Fingerabdruck (SHA-256)',
    only: 'Damit kann sich diese Seite für diese Namen und ihre Unterdomänen ausweisen, und für keine andere Seite:',
    download: 'Zertifikat herunterladen',
    after: 'Öffne dann die App noch einmal. Warnt der Browser weiter, starte ihn neu.',
    systems: [
      [
        'Android',
        [
          'Lade das Zertifikat herunter.',
          'Öffne die Einstellungen und suche nach „CA-Zertifikat“.',
          'Tippe auf „Trotzdem installieren“ und wähle die Datei.',
        ],
      ],
      [
        'iPhone, iPad',
        [
          'Lade es in Safari herunter und tippe auf „Zulassen“.',
          'Einstellungen, „Profil geladen“, „Installieren“.',
          'Einstellungen, Allgemein, Info, „Zertifikatsvertrauenseinstellungen“: einschalten.',
        ],
      ],
      [
        'Windows',
        [
          'Öffne die Datei und wähle „Zertifikat installieren“.',
          'Wähle „Alle Zertifikate in folgendem Speicher speichern“, „Vertrauenswürdige Stammzertifizierungsstellen“.',
        ],
      ],
      [
        'macOS',
        ['Öffne die Datei: Sie ist in der Schlüsselbundverwaltung.', 'Doppelklick, „Vertrauen“, „Immer vertrauen“.'],
      ],
      [
        'Firefox, Linux',
        [
          'Einstellungen, nach „Zertifikate“ suchen, „Zertifikate anzeigen“, „Zertifizierungsstellen“, „Importieren“.',
          'Kreuze „Dieser CA vertrauen, um Websites zu identifizieren“ an.',
        ],
      ],
    ],
  },
  fr: {
    language: 'fr',
    title: 'Faire confiance à ce site',
    lead: 'Une seule fois, pour que l’application SOS s’ouvre sans connexion et puisse envoyer votre position.',
    nothingTitle: 'Il n’y a rien à faire',
    nothing: 'Ce site n’a aucun certificat que vous devriez installer.',
    noHttpsTitle: 'L’application a besoin de https',
    noHttps:
      'Les téléphones ouvrent ce site sans https. L’application SOS ne s’ouvre alors qu’avec une connexion, et le navigateur ne la laisse pas envoyer votre position. L’exploitant doit donner au site une adresse https (publicUrl).',
    compare:
      'Comparez d’abord l’empreinte avec celle que l’exploitant vous a donnée, sur papier ou par téléphone. Si elles diffèrent, n’installez rien : quelqu’un écoute peut-être.',
    fingerprint: 'Empreinte (SHA-256)',
    only: 'Ce certificat vaut pour ces noms et leurs sous-domaines, et pour aucun autre site :',
    download: 'Télécharger le certificat',
    after: 'Rouvrez ensuite l’application. Si le navigateur avertit encore, redémarrez-le.',
    systems: [
      [
        'Android',
        [
          'Téléchargez le certificat.',
          'Ouvrez les paramètres et cherchez « certificat CA ».',
          'Touchez « Installer quand même » et choisissez le fichier.',
        ],
      ],
      [
        'iPhone, iPad',
        [
          'Téléchargez-le dans Safari et touchez « Autoriser ».',
          'Réglages, « Profil téléchargé », « Installer ».',
          'Réglages, Général, Informations, « Réglages de confiance des certificats » : activez-le.',
        ],
      ],
      [
        'Windows',
        [
          'Ouvrez le fichier et choisissez « Installer un certificat ».',
          'Choisissez « Placer tous les certificats dans le magasin suivant », « Autorités de certification racines de confiance ».',
        ],
      ],
      [
        'macOS',
        ['Ouvrez le fichier : il est dans Trousseaux d’accès.', 'Double-clic, « Se fier », « Toujours approuver ».'],
      ],
      [
        'Firefox, Linux',
        [
          'Paramètres, cherchez « certificats », « Afficher les certificats », « Autorités », « Importer ».',
          'Cochez « Confirmer cette AC pour identifier des sites web ».',
        ],
      ],
    ],
  },
  it: {
    language: 'it',
    title: 'Far fidare questo telefono del sito',
    lead: 'Una volta sola, perché l’app SOS si apra senza connessione e possa mandare la tua posizione.',
    nothingTitle: 'Non c’è nulla da fare',
    nothing: 'Questo sito non ha alcun certificato da installare.',
    noHttpsTitle: 'L’app ha bisogno di https',
    noHttps:
      'I telefoni aprono questo sito senza https. L’app SOS si apre allora solo con una connessione e il browser non le lascia mandare la tua posizione. Il gestore deve dare al sito un indirizzo https (publicUrl).',
    compare:
      'Confronta prima l’impronta con quella che ti ha dato il gestore, su carta o al telefono. Se sono diverse, non installare nulla: forse qualcuno ascolta.',
    fingerprint: 'Impronta (SHA-256)',
    only: 'Vale per questi nomi e i loro sottodomini, e per nessun altro sito:',
    download: 'Scarica il certificato',
    after: 'Poi riapri l’app. Se il browser avverte ancora, riavvialo.',
    systems: [
      [
        'Android',
        [
          'Scarica il certificato.',
          'Apri le impostazioni e cerca «certificato CA».',
          'Tocca «Installa comunque» e scegli il file.',
        ],
      ],
      [
        'iPhone, iPad',
        [
          'Scaricalo in Safari e tocca «Consenti».',
          'Impostazioni, «Profilo scaricato», «Installa».',
          'Impostazioni, Generali, Info, «Attendibilità certificati»: attivalo.',
        ],
      ],
      [
        'Windows',
        [
          'Apri il file e scegli «Installa certificato».',
          'Scegli «Colloca tutti i certificati nel seguente archivio», «Autorità di certificazione radice attendibili».',
        ],
      ],
      ['macOS', ['Apri il file: è in Accesso Portachiavi.', 'Doppio clic, «Attendibilità», «Fidati sempre».']],
      [
        'Firefox, Linux',
        [
          'Impostazioni, cerca «certificati», «Mostra certificati», «Autorità», «Importa».',
          'Spunta «Dai fiducia a questa CA per identificare siti web».',
        ],
      ],
    ],
  },
  es: {
    language: 'es',
    title: 'Hacer que este teléfono confíe en el sitio',
    lead: 'Una sola vez, para que la aplicación SOS se abra sin conexión y pueda enviar tu posición.',
    nothingTitle: 'No hay nada que hacer',
    nothing: 'Este sitio no tiene ningún certificado que haya que instalar.',
    noHttpsTitle: 'La aplicación necesita https',
    noHttps:
      'Los teléfonos abren este sitio sin https. Entonces la aplicación SOS solo se abre con conexión y el navegador no le deja enviar tu posición. El responsable debe dar al sitio una dirección https (publicUrl).',
    compare:
      'Compara antes la huella con la que te dio el responsable, en papel o por teléfono. Si no coinciden, no instales nada: quizá alguien escucha.',
    fingerprint: 'Huella (SHA-256)',
    only: 'Vale para estos nombres y sus subdominios, y para ningún otro sitio:',
    download: 'Descargar el certificado',
    after: 'Después abre otra vez la aplicación. Si el navegador sigue avisando, reinícialo.',
    systems: [
      [
        'Android',
        [
          'Descarga el certificado.',
          'Abre los ajustes y busca «certificado de CA».',
          'Toca «Instalar de todas formas» y elige el archivo.',
        ],
      ],
      [
        'iPhone, iPad',
        [
          'Descárgalo en Safari y toca «Permitir».',
          'Ajustes, «Perfil descargado», «Instalar».',
          'Ajustes, General, Información, «Configuración de confianza de certificados»: actívalo.',
        ],
      ],
      [
        'Windows',
        [
          'Abre el archivo y elige «Instalar certificado».',
          'Elige «Colocar todos los certificados en el siguiente almacén», «Entidades de certificación raíz de confianza».',
        ],
      ],
      ['macOS', ['Abre el archivo: está en Acceso a Llaveros.', 'Doble clic, «Confiar», «Confiar siempre».']],
      [
        'Firefox, Linux',
        [
          'Ajustes, busca «certificados», «Ver certificados», «Autoridades», «Importar».',
          'Marca «Confiar en esta CA para identificar sitios web».',
        ],
      ],
    ],
  },
}

export const trustTexts = (wanted: readonly string[]): TrustTexts => texts[textLanguage(wanted)]
