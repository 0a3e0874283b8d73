import type { Texts } from './en.ts'

export const es: Texts = {
  language: 'Idioma',
  notJoined: 'Esta aplicación aún no está configurada. Abre el enlace o escanea el código que te han dado.',
  call: (number) => `Llamar al ${number}`,
}
