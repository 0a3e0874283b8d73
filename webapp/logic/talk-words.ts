import type { SosMessage, SosTalk } from '../../sdk/src/index.ts'
import type { Texts } from '../texts/en.ts'

type Words = Texts['talk']

/** The owner of the phone, page or account that a message came from, not necessarily its writer. */
export function sourceOf({ from: { kind, name, phone, channel } }: SosMessage, t: Words): string {
  switch (kind) {
    case 'person':
      return channel === 'sms' ? t.bySms(phone ?? '') : t.own
    case 'contact':
      return phone === null ? name : `${name}, ${phone}`
    case 'operator':
      return t.fromDesk(name)
    default:
      return kind satisfies never
  }
}

/** The readers of the next message, by name: shown before the person writes. */
export function readersLine({ readers }: Pick<SosTalk, 'readers'>, to: 'all' | 'desk', t: Words): string {
  const desk = readers.filter(({ kind }) => kind === 'operator').map(({ name }) => name)
  if (to === 'desk') return desk.length === 0 ? t.deskEmpty : t.onlyDeskReads(desk.join(', '))
  const contacts = (now: boolean) =>
    readers.flatMap((reader) => (reader.kind === 'contact' && reader.now === now ? [reader.name] : []))
  const [present, later] = [[...desk.map(t.atDesk), ...contacts(true)], contacts(false)]
  return [
    present.length > 0 && t.read(present.join(', ')),
    desk.length === 0 && t.deskEmpty,
    later.length > 0 && t.onceHelping(later.join(', ')),
  ]
    .filter(Boolean)
    .join(' ')
}

/**
 * The person's choice (null: the service's proposal) after the proposal changes while they write: a text begun for the
 * desk alone does not go to everybody because somebody has left the desk.
 */
export const chosenStill = (
  chosen: SosMessage['to'] | null,
  { before, next }: { readonly before: SosMessage['to'] | undefined; readonly next: SosMessage['to'] },
): SosMessage['to'] | null => (chosen === null && before === 'desk' && next === 'all' ? 'desk' : chosen)

/** Oldest first, each once: a message can be heard of in two ways. The newest `max`. */
export function withMessages(
  known: readonly SosMessage[],
  heard: readonly SosMessage[],
  max: number,
): readonly SosMessage[] {
  const all = new Map([...known, ...heard].map((message) => [message.n, message]))
  return [...all.values()].sort((a, b) => a.n - b.n).slice(-max)
}
