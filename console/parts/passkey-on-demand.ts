import { call } from '../api/client.ts'
import { language, texts } from '../state/language.ts'
import { enter } from '../state/session.ts'
import type { passkeysOf } from './passkey.ts'
import { problemOf } from './task.ts'

/** Browsers that are old, or at an address without TLS, know none. */
export const mayPasskey = typeof PublicKeyCredential !== 'undefined'

/** Does something with a passkey, and resolves with why it failed; null: it did not. Its code is loaded now. */
export async function withPasskey(
  act: (passkeys: ReturnType<typeof passkeysOf>) => Promise<void>,
): Promise<string | null> {
  const loaded = await import('./passkey.ts').catch(() => null)
  if (loaded === null) return texts.value.notLoaded
  const passkeys = loaded.passkeysOf({ call, enter, problemOf, language: () => language.value })
  return act(passkeys).then(
    () => null,
    (error) => passkeys.problemOf(error),
  )
}
