import { DAY } from '../../lib/durations.ts'
import { dutiesBetween, hasDuties, type OnCall } from './on-call.ts'

/** How far ahead gaps are looked for. */
const AHEAD_MS = 14 * DAY
/** A list that nobody has looked at for this long counts as out of date. */
const STALE_MS = 365 * DAY
/** Gaps and people named. */
const MAX_NAMED = 5

export const onCallFindingCodes = ['on_call_gap', 'on_call_unreachable', 'on_call_disabled', 'on_call_stale'] as const

/** Faults of the on-call list. `from`, `until`: nobody is on duty then (epoch ms). `names`: people on it. */
export type OnCallFinding =
  | { readonly code: 'on_call_gap'; readonly from: number; readonly until: number }
  | { readonly code: 'on_call_unreachable'; readonly names: readonly string[] }
  | { readonly code: 'on_call_disabled'; readonly names: readonly string[] }
  | { readonly code: 'on_call_stale'; readonly reviewedAt: number }

/** on-call.md#findings. None where nobody takes turns at all. */
export function onCallFindings(onCall: OnCall | null, now: number): readonly OnCallFinding[] {
  if (onCall === null || !hasDuties(onCall)) return []
  const duties = dutiesBetween(onCall, now, now + AHEAD_MS)
  const gap = duties.find(({ person }) => person === null)
  const serving = onCall.people.filter(({ id }) => duties.some(({ person }) => person?.id === id))
  const untold = serving.filter(({ told }) => told?.accepted !== true).map(({ name }) => name)
  const disabled = onCall.people.filter(({ isDisabled }) => isDisabled).map(({ name }) => name)
  return [
    ...(gap === undefined ? [] : [{ code: 'on_call_gap' as const, from: gap.from, until: gap.until }]),
    ...(untold.length === 0 ? [] : [{ code: 'on_call_unreachable' as const, names: untold.slice(0, MAX_NAMED) }]),
    ...(disabled.length === 0 ? [] : [{ code: 'on_call_disabled' as const, names: disabled.slice(0, MAX_NAMED) }]),
    ...(now - onCall.reviewedAt < STALE_MS ? [] : [{ code: 'on_call_stale' as const, reviewedAt: onCall.reviewedAt }]),
  ]
}

/**
 * The finding in a sentence, for readiness and doctor, which speak English. Names nobody: anyone may read `/readyz`.
 */
export function onCallSentence(finding: OnCallFinding): string {
  switch (finding.code) {
    case 'on_call_gap':
      return `on_call_gap: nobody is on duty from ${shortIso(finding.from)} until ${shortIso(finding.until)}: add turns or an override (docs/on-call.md)`
    case 'on_call_unreachable':
      return `on_call_unreachable: ${finding.names.length === 1 ? 'somebody' : 'several people'} on the on-call list (\`tocsin on-call show\` says who) could not be told by SMS: check the number and save the list again (docs/on-call.md)`
    case 'on_call_disabled':
      return `on_call_disabled: the account of ${finding.names.length === 1 ? 'somebody' : 'several people'} on the on-call list (\`tocsin on-call show\` says who) is disabled, and the next in turn has their duties: take them off the list, or enable the account (docs/on-call.md)`
    case 'on_call_stale':
      return `on_call_stale: nobody has looked at the on-call list since ${shortIso(finding.reviewedAt)}: check it, then \`tocsin on-call confirm\` (docs/on-call.md)`
    default:
      return finding satisfies never
  }
}

const shortIso = (at: number): string => `${new Date(at).toISOString().slice(0, 16)}Z`
