import { createHash } from 'node:crypto'
import { MINUTE } from '../../lib/durations.ts'
import type { TextChannel } from '../incident/delivery.ts'

/** For how long the code of a test message counts. */
export const TEST_VALID_MS = 30 * MINUTE
const CODE_DIGITS = 8

/** The proof of a test message so far. It travels sealed, so that any node can confirm it. */
type TestTicket = {
  readonly provider: string
  /** By which it left. */
  readonly channel: TextChannel
  readonly operatorId: string
  readonly valuesHash: string
  readonly codeHash: string
  /** Epoch ms. */
  readonly sentAt: number
}

/** A code to read off a phone and type, from at least 64 random bits in base64url. */
export const testCodeFrom = (random: string): string =>
  String(Buffer.from(random, 'base64url').readBigUInt64BE(0) % 10n ** BigInt(CODE_DIGITS)).padStart(CODE_DIGITS, '0')

const hashOf = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex')

/** The same for the same values, in whatever order their keys are. */
const inOrder = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value

type Tested = {
  readonly provider: string
  readonly operatorId: string
  readonly values: Readonly<Record<string, unknown>>
  readonly code: string
}

const ticketOf = (
  { provider, operatorId, values, code }: Tested,
  channel: TextChannel,
  sentAt: number,
): TestTicket => ({
  provider,
  channel,
  operatorId,
  valuesHash: hashOf(JSON.stringify(values, inOrder)),
  codeHash: hashOf(`${sentAt} ${code.replace(/\D/g, '')}`),
  sentAt,
})

export const testTicket = (tested: Tested, channel: TextChannel, now: number): string =>
  JSON.stringify(ticketOf(tested, channel, now))

/** The channel that the code on the phone proves, if it belongs to this ticket, provider, operator and values. */
export function provedBy(ticket: string, tested: Tested, now: number): TextChannel | 'wrong' | 'too_old' {
  const { channel, sentAt } = JSON.parse(ticket) as TestTicket
  if (Math.abs(now - sentAt) > TEST_VALID_MS) return 'too_old'
  return ticket === JSON.stringify(ticketOf(tested, channel, sentAt)) ? channel : 'wrong'
}
