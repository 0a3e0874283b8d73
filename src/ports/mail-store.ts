import type { Page, ScopedQuery } from './page.ts'

export type OutboxMessage = {
  readonly id: number
  /** The attempt that the message belongs to. */
  readonly attemptId: string
  readonly incidentId: string
  readonly contactId: string
  readonly channel: 'sms' | 'voice'
  readonly to: string
  readonly text: string
  /** Epoch ms. */
  readonly createdAt: number
}

export type DeadLetter = {
  readonly id: number
  readonly userId: string
  readonly topic: string
  readonly reason: string
  readonly payload: Uint8Array
  /** Epoch ms. */
  readonly receivedAt: number
}

/** A dead letter with its application, the beginning of its payload, and how many bytes the payload has. */
export type CutLetter = DeadLetter & { readonly appId: string | null; readonly payloadBytes: number }

export type MailStore = {
  /** Writes a message to the outbox. A second one with the same attempt id changes nothing. */
  addToOutbox(message: Omit<OutboxMessage, 'id'>): Promise<void>
  outboxMessage(attemptId: string): Promise<OutboxMessage | null>
  /** Oldest first. */
  outbox(filter: { readonly incidentId: string | null }): Promise<readonly OutboxMessage[]>
  /** Newest first, each with its application; null for test messages. `text`: in the text or the number. */
  outboxPage(query: ScopedQuery): Promise<Page<OutboxMessage & { readonly appId: string | null }>>
  addDeadLetter(letter: Omit<DeadLetter, 'id'>): Promise<void>
  /** Oldest first. */
  deadLetters(): Promise<readonly DeadLetter[]>
  /** Newest first, the payload cut to `EXCERPT_BYTES`. `text`: in the topic or the reason. */
  deadLetterPage(query: ScopedQuery): Promise<Page<CutLetter>>
}
