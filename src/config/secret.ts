import { inspect } from 'node:util'

/** A value that shows only when revealed: neither JSON nor util.inspect nor a template string prints it. */
export type Secret<T = string> = { readonly reveal: () => T }

const SHOWN = '[secret]'
const shown = () => SHOWN

export const secret = <T>(value: T): Secret<T> =>
  Object.freeze({ reveal: () => value, toJSON: shown, toString: shown, [inspect.custom]: shown })
