import type { AdminTexts } from './en.ts'

export const admin: AdminTexts = {
  account: {
    ofToken: 'Ha entrado con un token, que no tiene contraseña.',
    password: 'Contraseña',
    present: 'Contraseña actual',
    newPassword: 'Contraseña nueva',
    again: 'Repita la contraseña nueva',
    differs: 'Las dos contraseñas nuevas son distintas.',
    change: 'Cambiar la contraseña',
    changed: 'La contraseña ha cambiado. En los demás navegadores se ha cerrado la sesión.',
    codes: 'Códigos de recuperación',
    codesMean:
      'Cada uno sirve una vez en lugar de la aplicación de autenticación, para la noche en que falte su teléfono.',
    codesLeft: (count) => (count === 1 ? 'Queda 1 código.' : `Quedan ${count} códigos.`),
    renew: 'Crear códigos nuevos',
    sessions: 'Dónde ha iniciado sesión',
    browser: 'Navegador',
    thisOne: 'este',
    address: 'Dirección',
    seen: 'Última actividad',
    end: 'Cerrar sesión',
    endOthers: 'Cerrar todas las demás',
  },
  proof: {
    title: '¿Sigue siendo usted?',
    why: 'Esto da acceso duradero. Escriba su contraseña o las seis cifras de su aplicación de autenticación. Vale diez minutos.',
    given: 'Contraseña o código',
    go: 'Continuar',
  },
}
