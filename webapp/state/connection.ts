import { computed, effect, signal, untracked } from '@preact/signals'
import { smsSosIn } from '../logic/sms.ts'
import { ask } from './api.ts'
import { type Application, enrolment, keepEnrolment } from './enrolment.ts'
import { keep } from './keep.ts'
import { keepNews } from './news.ts'
import { readPhones } from './phones.ts'

/** The result of the app's own check of its connection, and its time, epoch ms. */
export type Connection = { readonly kind: 'checking' | 'ok' | 'none' | 'busy' | 'refused'; readonly at: number }

export const connection = signal<Connection>({ kind: 'checking', at: 0 })

/** Asks the service who this phone alarms for, as an alarm would ask. */
export async function checkConnection(): Promise<void> {
  const { status, body } = await ask('GET', '/v1/sdk/me')
  const kind = kindOf(status, body)
  connection.value = { kind, at: Date.now() }
  // It is needed when the service cannot be asked.
  if (kind === 'ok') await keep('smsSos', smsSosIn(body))
}

function kindOf(status: number, body: unknown): Connection['kind'] {
  const isOurs = typeof body === 'object' && body !== null && ('id' in body || 'error' in body)
  // A captive portal does not count as a connection.
  if (status === 0 || !isOurs) return 'none'
  if (status === 401) return 'refused'
  return status === 200 ? 'ok' : 'busy'
}

/** Name, colour and emergency number may have changed since this phone was set up. */
async function readApplication(): Promise<void> {
  const own = enrolment.value
  if (own == null) return
  const { status, body } = await ask('GET', `/v1/app/applications/${encodeURIComponent(own.appId)}`)
  const application = body as Application | null
  if (status !== 200 || application?.id !== own.appId || enrolment.value?.appId !== own.appId) return
  if (JSON.stringify(application) !== JSON.stringify(own.application))
    await keepEnrolment({ ...enrolment.value, application })
}

const credential = computed(() => enrolment.value?.credential)

/** Each time the app is opened or comes to the front, and when the network comes or goes. */
export function watchConnection(): void {
  const look = (): void => {
    if (enrolment.value == null || document.visibilityState === 'hidden') return
    void checkConnection().then(async () => {
      if (connection.value.kind !== 'ok') return
      await readApplication()
      await readPhones()
      await keepNews()
    })
  }
  // At the opening, and once this phone is set up.
  effect(() => {
    if (credential.value !== undefined) untracked(look)
  })
  document.addEventListener('visibilitychange', look)
  addEventListener('online', look)
  addEventListener('offline', () => {
    connection.value = { kind: 'none', at: Date.now() }
  })
}
