import type { z } from 'zod'
import type { meSchema } from '../../src/adapters/inbound/http/operator/schemas/session.ts'

/** The operator API's answers, as far as the console shows them (docs/reference/protocol.md#operator-api). Times are ISO 8601. */
export type Me = z.infer<typeof meSchema>
export type Role = Me['role']

/** How urgent: nobody told and nobody answered; nobody answered; nobody can help, or overdue; answered; taken; closed. */
type Urgency = 0 | 1 | 2 | 3 | 4 | 5

export type Position = {
  readonly latitude: number
  readonly longitude: number
  readonly accuracy?: number | null
  readonly altitude?: number | null
  readonly at: string
}

export type Answer = {
  readonly by: { readonly kind: 'contact' | 'operator'; readonly name: string | null }
  readonly kind: 'acknowledged' | 'coming' | 'calling'
  readonly etaMinutes?: number
  readonly at: string
  readonly overdue: boolean
}

export type Item = {
  readonly incidentId: string
  readonly applicationId: string
  readonly applicationName: string
  readonly userId: string
  readonly person: { readonly name: string | null; readonly phone: string | null; readonly externalId: string }
  readonly status: 'active' | 'acknowledged' | 'cancelled' | 'resolved'
  readonly version: number
  readonly openedAt: string
  readonly occurredAt: string
  readonly updatedAt: string
  readonly closedAt: string | null
  readonly urgency: Urgency
  readonly presses: number
  readonly lastPressAt: string
  /** Of the cascade, from 1: the one after a round that nobody answered is another alarm. */
  readonly round: number
  readonly answer: Answer | null
  readonly delivered: boolean
  readonly held: boolean
  readonly drill: boolean
  readonly position: Position | null
  readonly battery: {
    readonly phone?: number | null
    readonly device?: 'critical' | 'low' | 'medium' | 'ok' | null
  } | null
  readonly closing: {
    readonly kind: string
    readonly by: string | null
    readonly name?: string | null
    readonly at: string
    readonly confirmed: boolean
  } | null
  readonly toCallBack: number
}

export type ContactState = {
  readonly contactId: string
  readonly name: string
  readonly phone: string | null
  readonly priority: number
  readonly language: string
  readonly status: string
  readonly channels: readonly {
    readonly channel: string
    readonly status: string
    readonly error?: string | null
    readonly at?: string | null
  }[]
  readonly response: { readonly kind: string; readonly etaMinutes?: number; readonly at: string } | null
  readonly acknowledgedAt: string | null
  readonly calledBack: { readonly by: string; readonly at: string } | null
}

export type TimelineRow = { readonly at: string; readonly kind: string } & Readonly<Record<string, unknown>>

export type Case = {
  readonly incident: Item
  readonly contacts: readonly ContactState[]
  readonly timeline: readonly TimelineRow[]
  readonly trail: readonly Position[]
  readonly notes: readonly { readonly at: string; readonly by: string; readonly text: string }[]
  readonly next: readonly {
    readonly at: string
    readonly what: string
    readonly channel?: string
    readonly contactId?: string | null
  }[]
  readonly mayUndoTakeUntil: string | null
  readonly profile: Readonly<Record<string, unknown>> | null
}

export type Listed<T> = {
  readonly items: readonly T[]
  readonly nextCursor?: string | null
  readonly hasMore?: boolean
}

export type Row = Readonly<Record<string, unknown>>
