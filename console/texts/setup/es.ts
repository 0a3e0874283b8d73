import type { SetupTexts } from './en.ts'

export const setup: SetupTexts = {
  setup: {
    title: 'Configurar Tocsin',
    step: (step, of) => `Paso ${step} de ${of}`,
    intro: 'Aquí nadie puede iniciar sesión todavía. Usted será el primer administrador.',
    loginHint: 'Un nombre corto o una dirección de correo, sin espacios.',
    badLogin: 'Solo letras sin acentos, cifras y . _ @ + -',
    name: 'Su nombre',
    nameHint: 'Su equipo lo ve junto a lo que usted hace.',
    next: 'Continuar',
    app: 'Su segundo factor',
    back: 'Atrás',
    codes: 'Sus códigos de recuperación',
    done: 'Los he guardado: continuar con los primeros pasos',
    signIn: 'Iniciar sesión',
    over: 'Esta dirección ya no es válida',
  },
  onThisDevice: '¿Tiene la app en este dispositivo? Ábrala aquí',
  setupRefusals: {
    setup_not_found:
      'Se usó, ha caducado o fue reemplazada. Para obtener otra, reinicie Tocsin o ejecute en el servidor: tocsin operator add LOGIN --role admin',
  },
}
