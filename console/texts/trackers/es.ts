import type { TrackerTexts } from './en.ts'

export const trackers: TrackerTexts = {
  tracker: {
    state: 'Estado',
    lastHeard: 'Última señal',
    battery: 'Batería',
    unknown: 'Sin datos',
    silentMeans: (time) =>
      `Sin señal desde: ${time}. Puede que el localizador esté apagado, sin batería o sin cobertura.`,
    flagMeans: (time) => `El localizador indica SOS desde: ${time}.`,
    disabledMeans:
      'Su propietario o su aplicación está desactivado: el localizador no puede transmitir nada, tampoco un SOS.',
    unpairedMeans: 'Sin vincular: un SOS de este localizador no avisa a ningún contacto.',
    silence: 'Si deja de dar señal',
    silenceOfAll: 'Si un localizador deja de dar señal',
    silenceMeans:
      'Si no hay señal durante este tiempo, se avisa en el chat de la aplicación y la consola lo indica. Nunca es un SOS.',
    warn: 'Avisar',
    never: 'Nunca',
    after: 'Tras un tiempo propio',
    afterAll: 'Tras',
    asApplication: (interval) => `Como la aplicación: ${interval}`,
    count: 'Cuánto tiempo',
    unit: 'Unidad',
    units: { min: 'minutos', h: 'horas', d: 'días' },
    range: 'De 15 minutos a 30 días.',
    token: 'Token y configuración',
    tokenMeans:
      'Con un token propio, un teléfono con Traccar Client u OwnTracks, o un localizador que habla OsmAnd, transmite por sí solo. Quien tenga el token puede transmitir ubicaciones y lanzar un SOS en nombre del propietario.',
    noToken: 'El localizador no tiene token.',
    tokenSince: (time) => `El localizador tiene un token desde: ${time}.`,
    owner: 'Propietario (identificador externo)',
    ownerHint: 'Primero vincula el localizador con esta persona.',
    make: 'Crear un token',
    replace: 'Crear un token nuevo',
    replaceAsk: '¿Crear un token nuevo?',
    replaceMeans:
      'El actual deja de funcionar enseguida. Hasta que se configure el nuevo, el localizador no puede enviar un SOS.',
    revoke: 'Revocar el token',
    revokeAsk: '¿Revocar el token?',
    revokeMeans: 'Desde ahora el localizador no puede transmitir nada, tampoco un SOS.',
    onlyNow: 'Solo se muestra ahora. Desaparece al salir de esta página, o en',
    hasReported: 'Funciona: el localizador ha transmitido.',
    app: 'App o localizador',
    apps: {
      traccar: 'Traccar Client',
      ownTracks: 'OwnTracks',
      ownTracksMqtt: 'OwnTracks por MQTT',
      byHand: 'Manualmente',
    },
    howTo: {
      traccar: 'Escanéelo en los ajustes de Traccar Client.',
      ownTracks: 'Escanéelo con la cámara del teléfono. OwnTracks solo transmite ubicaciones, no tiene SOS.',
      ownTracksMqtt:
        'Escanéelo con la cámara del teléfono. El teléfono debe confiar en el certificado del servicio. OwnTracks no tiene SOS.',
      byHand: 'Para todo lo que habla OsmAnd: la dirección, y el token como identificador.',
    },
    qrOf: (app) => `Código QR para ${app}`,
    link: 'Enlace',
    address: 'Dirección',
    secret: 'Token',
    hide: 'Listo: ocultar',
  },
  contactCheck: {
    state: 'Confirmado',
    confirmed: 'Confirmado',
    declined: 'No conoce a esta persona: se le avisa el último',
    open: 'Todavía no',
    ask: 'Pedir confirmación',
    asked: (name) =>
      `Se preguntará a ${name} por SMS, salvo que hoy ya se haya preguntado a este número. La respuesta aparecerá aquí.`,
    already: (name) => `${name} ya ha confirmado.`,
  },
  trackerRefusals: {
    bad_csv:
      'No se ha registrado nada. La primera línea debe ser hardwareId,pairingCode,model, y pueden seguir 500 localizadores como máximo.',
    user_not_found: 'Esta persona no existe.',
    not_paired: 'Nadie ha vinculado este localizador. Indique su propietario.',
    paired_to_another: 'Otra persona ha vinculado este localizador. Desvincúlelo primero.',
    device_limit: 'Esta persona ya tiene el máximo de localizadores. Desvincule uno primero.',
    tracker_disabled:
      'El propietario o la aplicación está desactivado: no se aceptaría nada de lo que envíe el localizador.',
    verification_limit: 'Se ha alcanzado el límite: a un número se le pregunta una vez al día. Inténtelo mañana.',
    verification_used_up: 'A este número se le ha preguntado tres veces y no se le preguntará más. Llámele.',
  },
}
