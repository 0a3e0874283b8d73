import { SECOND } from '../../lib/durations.ts'
import { attention, type Level, type ProbeFinding, worstOf } from './finding.ts'
import { type FactSources, type FactsOf, type ProbeId, subjects } from './subjects.ts'

/** Each probe gets this long; all run side by side. */
const WITHIN_MS = 8 * SECOND

/** One line of the report. A probe may have several. */
export type DoctorRow = ProbeFinding & { readonly id: ProbeId; readonly title: string }

export type DoctorReport = { readonly level: Level; readonly rows: readonly DoctorRow[] }

/** A reason why a probe has no facts, in words for the operator. */
export class NotExamined extends Error {}

/** Runs every probe that has a source, in the order of `subjects`. Never rejects. */
export async function examine(sources: FactSources, withinMs = WITHIN_MS): Promise<DoctorReport> {
  const ids = Object.keys(subjects) as readonly ProbeId[]
  const found = await Promise.all(
    ids.map(async (id) => {
      const subject: { readonly title: string; readonly withinMs?: number } = subjects[id]
      const findings = await within(subject.withinMs ?? withinMs, findingsOf(id, sources))
      return findings.map((finding): DoctorRow => ({ id, title: subject.title, ...finding }))
    }),
  )
  const rows = found.flat()
  return { level: worstOf(rows), rows }
}

async function findingsOf<P extends ProbeId>(id: P, sources: FactSources): Promise<readonly ProbeFinding[]> {
  const source = sources[id]
  if (source === null) return []
  const judge = subjects[id].judge as (facts: FactsOf<P>) => readonly ProbeFinding[]
  try {
    return judge(await source())
  } catch (error) {
    return [attention(`not examined: ${reasonOf(error)}`, 'fix that first, then run tocsin doctor again')]
  }
}

/** The message of a foreign error may quote an address with its password, so only its kind is shown. */
function reasonOf(error: unknown): string {
  if (error instanceof NotExamined) return error.message
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown }
  return typeof code === 'string' ? code : `an unexpected error (${String(name)})`
}

async function within(ms: number, work: Promise<readonly ProbeFinding[]>): Promise<readonly ProbeFinding[]> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<readonly ProbeFinding[]>((resolve) => {
    const says = `not examined: no answer within ${ms / SECOND} s`
    timer = setTimeout(resolve, ms, [attention(says, 'see whether the network, the disk or the database hangs')])
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
