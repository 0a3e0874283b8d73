import { parseArgs } from 'node:util'
import { full, longStoredRows, type Plan, quick } from './plan.ts'

/** In the order of the runs and of the report. Those on request run only with `--only` or `--quick`. */
const PARTS = [
  { name: 'ingest', onRequest: false },
  { name: 'press', onRequest: false },
  { name: 'deadlines', onRequest: false },
  { name: 'flooder', onRequest: false },
  { name: 'slow-disk', onRequest: false },
  { name: 'notifications', onRequest: false },
  { name: 'connections', onRequest: false },
  { name: 'start-up', onRequest: false },
  { name: 'console', onRequest: true },
  { name: 'apps', onRequest: true },
  { name: 'nodes', onRequest: true },
  { name: 'growth', onRequest: true },
  { name: 'soak', onRequest: true },
] as const
export type Part = (typeof PARTS)[number]['name']

const names = PARTS.map(({ name }) => name)
const onRequest = PARTS.filter((part) => part.onRequest).map(({ name }) => name)

export const USAGE = `npm run bench -- [--quick] [--only PART] [--minutes N] [--long] [--json] [--compare FILE] [--from FILE]

  --quick    less of everything, in under a minute: shows that it works, not how fast
  --only     one of the measurements: ${names.join(', ')};
             ${onRequest.join(', ')} take long, and run only when they are asked for
  --minutes  how long the soak takes, 30 by default
  --long     growth: also up to ${longStoredRows.toLocaleString('en')} stored rows
  --json     the figures as one line of JSON on stdout (with npm run -s); progress goes to stderr either way
  --compare  what has changed since the run whose --json is in FILE
  --from     runs nothing, and shows the figures of FILE
`

export type Options = {
  readonly plan: Plan
  readonly quick: boolean
  readonly parts: readonly Part[]
  readonly json: boolean
  readonly compare: string | null
  readonly from: string | null
}

/** Null for wrong use. */
export function readOptions(args: readonly string[]): Options | null {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        quick: { type: 'boolean', default: false },
        only: { type: 'string' },
        minutes: { type: 'string' },
        long: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        compare: { type: 'string' },
        from: { type: 'string' },
      },
    })
    const only = values.only === undefined ? null : PARTS.find(({ name }) => name === values.only)
    const minutes = values.minutes === undefined ? null : Number(values.minutes)
    if (only === undefined || (minutes !== null && !(minutes > 0 && minutes < Infinity))) return null
    const chosen = only === null ? PARTS.filter((part) => values.quick || !part.onRequest) : [only]
    const { json, compare = null, from = null } = values
    return {
      plan: planFor(values.quick ? quick : full, minutes, values.long),
      quick: values.quick,
      parts: chosen.map(({ name }) => name),
      json,
      compare,
      from,
    }
  } catch {
    return null
  }
}

const planFor = (plan: Plan, minutes: number | null, long: boolean): Plan => ({
  ...plan,
  growth: long ? { ...plan.growth, storedRows: [...plan.growth.storedRows, longStoredRows] } : plan.growth,
  soak: minutes === null ? plan.soak : { ...plan.soak, minutes },
})
