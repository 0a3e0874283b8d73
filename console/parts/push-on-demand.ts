import { call } from '../api/client.ts'
import { language } from '../state/language.ts'
import { me } from '../state/session.ts'

/** The operator who wants alarms in this browser, with or without names: it must subscribe anew after each sign-in. */
const KEY = 'tocsin.push'

export const pushes = async () => (await import('./push-browser.ts')).pushesOf({ call, language: () => language.value })

export function keepWanted(wholeText: boolean | null): void {
  if (wholeText === null) localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, `${me.value?.id} ${wholeText}`)
}

let renewing: Promise<void> = Promise.resolve()
/** Resolves when nothing is being renewed. */
export const renewed = (): Promise<void> => renewing

/** At the opening, and after a sign-in: only where this operator wants it. A failure shows in the account. */
export function renewPush(): void {
  const [id, wholeText] = localStorage.getItem(KEY)?.split(' ') ?? []
  if (id === undefined || id !== me.value?.id) return
  renewing = pushes()
    .then((own) => own.renew(wholeText === 'true'))
    .catch(() => {})
}
