import { computed, effect, signal, untracked } from '@preact/signals'
import { type Said, type SosMessage, type SosTalk, TocsinError } from '../../sdk/src/index.ts'
import { chosenStill, withMessages } from '../logic/talk-words.ts'
import { alarmState, isAlarmShown, sdk } from './sos.ts'

const MAX_SHOWN = 200
/** Messages on their way. Frantic taps must not use up the hour's. */
export const MAX_SENDING = 3

/** A message that the service does not have yet. It is not kept: after a restart the person sees that it is missing. */
export type Sending = { readonly key: number; readonly said: Said; readonly to: SosMessage['to'] }
/** `minutes` null: it was refused for another reason than too many messages. */
type NotSent = { readonly minutes: number | null }

/** The talk of the open alarm while that is on the screen, with its messages; null: none, or not read yet. */
export const talk = signal<SosTalk | null>(null)
export const sending = signal<readonly Sending[]>([])
/** The person's draft, until the alarm ends: hidden or not. `chosen` null: the readers that the service proposes. */
export const draft = signal('')
export const chosen = signal<SosMessage['to'] | null>(null)
export const isWriting = signal(false)
export const notSent = signal<NotSent | null>(null)

const openIncident = computed(() => {
  const state = alarmState.value
  return state === null || state.step === 'over' ? null : state.incidentId
})
const shownIncident = computed(() => (isAlarmShown.value ? openIncident.value : null))

const hear = (messages: readonly SosMessage[], next: SosTalk | null = talk.value): void => {
  if (next === null) return
  if (isWriting.value) chosen.value = chosenStill(chosen.value, { before: talk.value?.to, next: next.to })
  talk.value = { ...next, items: withMessages(talk.value?.items ?? [], messages, MAX_SHOWN) }
}

let following = new AbortController()
effect(() => {
  const incidentId = shownIncident.value
  following.abort()
  following = new AbortController()
  talk.value = null
  const { signal } = following
  if (incidentId !== null) untracked(() => void follow(incidentId, signal))
})

async function follow(incidentId: string, signal: AbortSignal): Promise<void> {
  for await (const heard of sdk().sos.messages.changes({ signal })) {
    if (signal.aborted) return
    if (heard.incidentId === incidentId) hear(heard.items, heard)
  }
}

/** Fetches the readers again when the person begins to write: somebody may have left the desk. */
export async function lookWhoReads(): Promise<void> {
  const { signal } = following
  const found = await sdk()
    .sos.messages.read(talk.value?.items.at(-1)?.n ?? 0)
    .catch(() => null)
  if (!signal.aborted && found !== null && found.incidentId === shownIncident.value) hear(found.items, found)
}

let ending = new AbortController()
let writesIn: string | null = null
// A draft of one alarm goes into no other.
effect(() => {
  const incidentId = openIncident.value
  if (incidentId === writesIn) return
  writesIn = incidentId
  ending.abort()
  ending = new AbortController()
  sending.value = []
  draft.value = ''
  chosen.value = null
  isWriting.value = false
  notSent.value = null
})

let sent = 0

/** Sends a message until the service has it, or refuses it. */
export async function say(said: Said, to: SosMessage['to']): Promise<void> {
  if (sending.value.length >= MAX_SENDING) return
  sent += 1
  const one: Sending = { key: sent, said, to }
  sending.value = [...sending.value, one]
  notSent.value = null
  const { signal } = ending
  try {
    const message = await sdk().sos.messages.send(said, { to, signal })
    if (!signal.aborted) hear([message])
  } catch (error) {
    if (signal.aborted) return
    const refused = error instanceof TocsinError ? error : null
    notSent.value = { minutes: refused?.status === 429 ? Math.max(1, Math.ceil(refused.retryAfterMs / 60_000)) : null }
    if ('text' in said && draft.value === '') draft.value = said.text
  } finally {
    sending.value = sending.value.filter((other) => other !== one)
  }
}
