import type { SetupPartTexts } from './en.ts'

export const setupParts: SetupPartTexts = {
  sections: {
    trackers: 'Perfiles de localizadores',
    emergency: 'Números de emergencia',
  },
  labels: {
    'map.overlays': 'Refugios, senderos y helipuertos',
    'lorawan.profiles': 'Perfiles propios',
    'tracking.emergencyNumbers': 'Números de emergencia por país',
    'twilio.pollSeconds': 'Pedir los acuses cada (s)',
    'twilio.validitySeconds': 'Un SMS caduca a los (s)',
  },
  hints: {
    'map.overlays':
      'Archivos GeoJSON en el directorio de datos de cada nodo, uno por línea. Los ve cualquiera que tenga un enlace.',
    'lorawan.profiles':
      'Qué uplink de qué modelo es un SOS, como en docs/lorawan.md: pegue las líneas de allí. Los perfiles incluidos existen sin ellas.',
    'tracking.emergencyNumbers':
      'Se indica a quienes ayudan que los marquen. Uno por línea, por ejemplo AT: 140. Para otros países se muestra el habitual.',
  },
  problems: {
    'is in the local network or on this machine: list its host in notifications.lanHosts first; one on this machine is set in the file':
      'La dirección es de la red local o de esta máquina. En la red local, permítala antes en «Equipos de la red local»; en esta máquina, solo en el archivo de configuración.',
    'must be GeoJSON files (.geojson) in the data directory of this node':
      'Elija archivos GeoJSON que estén en el directorio de datos de este nodo.',
    'is not valid YAML': 'No es YAML válido: revise las sangrías y los dos puntos.',
    'must be profiles by name, as in docs/lorawan.md': 'Escriba perfiles con su nombre, como en docs/lorawan.md.',
    'must have at most 50 profiles, and 65536 characters together':
      'Como máximo 50 perfiles y 65536 caracteres en total.',
    'is not an ISO 3166-1 alpha-2 country code in capitals': 'Empiece cada línea con las dos letras del país.',
    'must be a number to dial': 'Escriba un número para marcar, por ejemplo 140.',
  },
  overridden: (name) => `Lo que ${name} puso aquí no cuenta. Vuelve a contar cuando allí ya no esté.`,
  hostNeeded: (key) => `${key} está en uno de los equipos que quita. Cámbielo antes.`,
  overlayFiles: (names) => `En este nodo: ${names}.`,
  noOverlayFiles: 'Aún no hay ninguno en este nodo.',
  onlyInFile: {
    lead: 'Solo en el archivo de configuración o en el entorno, y luego reiniciar:',
    why: {
      start: 'hace falta antes de abrir la base de datos',
      listeners: 'puertos y lo que responde en ellos',
      machine: 'archivos y programas de la máquina',
      guards: 'límites que ninguna sesión de la consola mueve, y la vigilancia de este servicio',
      resources: 'partes de memoria, disco y conexiones',
      deletion: 'cuánto se conservan los datos: lo borrado no se recupera',
      defaults: 'valores por defecto de aplicaciones y dispositivos; los de una aplicación están en su página',
    },
  },
}
