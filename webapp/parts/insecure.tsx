import { texts } from '../state/language.ts'

/** Whether browsers withhold APIs that the app needs, because the address is not https. */
export const isInsecure = (): boolean => globalThis.isSecureContext === false

/** Says so: the button works, but only with a connection, and nobody sees where the person is. */
export const InsecureNotice = () =>
  isInsecure() ? <p class="notice bad insecure">{texts.value.line.insecure}</p> : null
