import { signal } from '@preact/signals'
import { keep, kept } from './keep.ts'

/** The application, as the service shows it to anyone. */
export type Application = {
  readonly id: string
  readonly name: string
  readonly colour: string
  readonly emergencyNumber: string
  readonly country: string | null
  readonly smsNumber: string | null
}

/** The steps after the invitation, one screen each. */
export const setUpSteps = ['you', 'contacts', 'position', 'practice'] as const
export type SetUpStep = (typeof setUpSteps)[number]

/** The person this phone alarms for. `credential` is its own: it goes where a user's hash goes, and can be revoked. */
export type Enrolment = {
  readonly appId: string
  readonly userId: string
  readonly deviceId: string
  readonly credential: string
  readonly application: Application
  /** A contact who invited this person, to be confirmed. */
  readonly proposed?: { readonly name: string; readonly phone: string } | null
  /** Null: it is done. */
  readonly setUp: SetUpStep | null
}

/** An invitation that was opened and not yet answered. `key`: the same again gives the same enrolment. */
export type Joining = { readonly invitation: string; readonly key: string }

/** Undefined while it is being read; null: this phone is not set up. */
export const enrolment = signal<Enrolment | null | undefined>(undefined)
export const joining = signal<Joining | null>(null)
/** The person wants the invitation, although this phone is set up already. */
export const isReplacing = signal(false)

const INVITATION = /^#(inv_[A-Za-z0-9_-]{32})$/

const newKey = (): string =>
  btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')

/** An invitation in the address is taken out of it at once: neither history nor a screenshot has it. */
async function takeInvitation(): Promise<void> {
  const [, invitation] = INVITATION.exec(location.hash) ?? []
  if (location.pathname === '/app/join') history.replaceState(null, '', '/app/')
  const before = await kept<Joining>('joining')
  if (invitation === undefined) {
    joining.value = before ?? null
    return
  }
  // Opened twice, it is one enrolment.
  joining.value = before?.invitation === invitation ? before : { invitation, key: newKey() }
  await keep('joining', joining.value)
}

/** Reads this phone's storage. */
export async function readEnrolment(): Promise<void> {
  await takeInvitation()
  enrolment.value = (await kept<Enrolment>('enrolment')) ?? null
}

/** False: the browser keeps nothing, and nothing was changed. */
export async function keepEnrolment(next: Enrolment): Promise<boolean> {
  if (!(await keep('enrolment', next))) return false
  enrolment.value = next
  return true
}

export async function stopJoining(): Promise<void> {
  joining.value = null
  isReplacing.value = false
  await keep('joining', undefined)
}

/** Removes the person's data from this phone. Presses that are still on their way stay with the SDK. */
export async function forgetEnrolment(): Promise<void> {
  await keep('enrolment', undefined)
  await keep('smsSos', undefined)
  await keep('phones', undefined)
  await keep('silent', undefined)
  enrolment.value = null
}
