import { texts } from '../state/language.ts'

/** Whether browsers keep from this address what the app needs: it is no https. */
export const isInsecure = (): boolean => globalThis.isSecureContext === false

/** Says so: the button works, but only with a connection, and nobody sees where the person is. */
export const InsecureNotice = () =>
  isInsecure() ? <p class="notice bad insecure">{texts.value.line.insecure}</p> : null
