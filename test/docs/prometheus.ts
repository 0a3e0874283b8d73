import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { TestContext } from 'node:test'
import { counters, histograms } from '../../src/ports/meter.ts'
import { startSite } from '../harness/site.ts'

export const read = (name: string) => readFile(new URL(`../../docs/${name}`, import.meta.url), 'utf8')
export const page = await read('reference/monitoring.md')

/** The cells of the rows of a section's table. The first cell is a name in code style. */
export function tableOf(title: string): readonly (readonly string[])[] {
  const section = page.split(`\n## ${title}\n`)[1]?.split('\n## ')[0]
  assert.ok(section, `the page has no section ${title}`)
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

export const namesIn = (cell: string): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1]!)

/** Gauges that a service on SQLite and without a modem, as in these tests, does not have. */
export const ofOthers = tableOf('Metrics')
  .filter(([, , , meaning = '']) => /^(PostgreSQL|Modem): /.test(meaning))
  .map(([name = '', , labels = '']) => ({ name: namesIn(name)[0]!, labels: namesIn(labels) }))

type Metric = { readonly type: string; readonly labels: ReadonlySet<string> }

/**
 * The metrics in the Prometheus text `shown`, by name. Labels: those of all samples, except those of the format itself.
 */
export function metricsIn(shown: string): ReadonlyMap<string, Metric> {
  const metrics = new Map<string, { type: string; labels: Set<string> }>()
  for (const [, name, type] of shown.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    metrics.set(name!, { type: type!, labels: new Set() })
  }
  for (const [, sample, labels] of shown.matchAll(/^([a-z]\w*)\{(.*)\} /gm)) {
    const name = metrics.has(sample!) ? sample! : sample!.replace(/_(bucket|sum|count)$/, '')
    for (const [, label] of labels!.matchAll(/(\w+)="/g)) if (label !== 'le') metrics.get(name)?.labels.add(label!)
  }
  // A metric without a series yet has its labels in the table.
  for (const [name, { labels }] of Object.entries({ ...counters, ...histograms })) {
    for (const label of Object.keys(labels)) metrics.get(`tocsin_${name}`)?.labels.add(label)
  }
  return metrics
}

/** A network server whose broker nobody runs. */
const lorawan = {
  servers: {
    valley: {
      type: 'chirpstack',
      application: '0190aaaa-0000-7000-8000-000000000001',
      mqtt: { url: 'mqtt://127.0.0.1:1' },
    },
  },
}

const backup = { recipient: 'age1jgwfld6qu7v4m6hwemcg8jmyea92wq5sn4cuks3lnt84fc8qp3fsrru3re' }

/** What a service with every listener on shows. */
async function textOf(t: TestContext): Promise<string> {
  const any = { host: '127.0.0.1', port: 0 }
  const site = await startSite(t, { config: { mqtts: any, https: any, lorawan, canary: { everyMinutes: 60 }, backup } })
  const answer = await fetch(`${site.service.listeners.http}/metrics`)
  assert.equal(answer.status, 200)
  return answer.text()
}

/** One start for all tests: a fresh service shows the same each time. */
let text: Promise<string> | undefined

export async function exposed(t: TestContext): Promise<{ shown: string; ours: Map<string, Metric> }> {
  text ??= textOf(t)
  const shown = await text
  const ours = new Map([...metricsIn(shown)].filter(([name]) => name.startsWith('tocsin_')))
  return { shown, ours }
}

const BRACKETS = [
  ['(', ')'],
  ['{', '}'],
  ['[', ']'],
] as const
const FUNCTIONS = ['abs', 'absent', 'changes', 'histogram_quantile', 'increase', 'rate', 'time', 'sum', 'max']

type Asked = { readonly sample: string; readonly matchers: readonly (readonly [label: string, values: string[]])[] }

/** Every metric in an expression, with the label values it asks for. */
export const metricsOf = (expr: string): readonly Asked[] =>
  [...expr.matchAll(/\b((?:tocsin|process|nodejs)_\w+|up)\b(?:\{([^}]*)\})?/g)].map(([, sample, matchers = '']) => ({
    sample: sample!,
    matchers: [...matchers.matchAll(/(\w+)(?:=~|!~|!=|=)"([^"]*)"/g)].map(
      ([, label, values]) => [label!, values!.split('|')] as const,
    ),
  }))

/**
 * Whether an expression asks only for what the service has, in a form that Prometheus understands. `about`: names it in
 * failures.
 */
export function mustBeSound(about: string, expr: string, shown: string): void {
  const elsewhere = ofOthers.map(({ name, labels }) => [name, { type: 'gauge', labels: new Set(labels) }] as const)
  const metrics = new Map([...metricsIn(shown), ...elsewhere])
  const found = metricsOf(expr)
  assert.ok(found.length > 0, `${about} asks for nothing`)
  for (const { sample, matchers } of found) {
    if (sample === 'up') continue
    const name = metrics.has(sample) ? sample : sample.replace(/_(bucket|sum|count)$/, '')
    const metric = metrics.get(name)
    assert.ok(metric, `${about} asks for ${sample}, which is not there`)
    if (metric.type === 'histogram') assert.match(sample, /_(bucket|sum|count)$/, about)
    for (const [label, values] of matchers) mustKnow(`${about}: ${name}`, metric, { name, label, values })
  }
  const bare = expr.replace(/"[^"]*"/g, '""')
  for (const [open, close] of BRACKETS) {
    assert.equal(bare.split(open).length, bare.split(close).length, `${about}: ${open}${close}`)
  }
  for (const [, name] of bare.matchAll(/\b([a-z_]+)\(/g)) assert.ok(FUNCTIONS.includes(name!), `${about}: ${name}()`)
  // A counter only ever grows, so it means nothing on its own.
  for (const { sample } of found.filter((one) => /_(total|bucket)$/.test(one.sample))) {
    assert.match(bare, new RegExp(`(increase|rate)\\(${sample}(\\{[^}]*\\})?\\[\\d+[mhd]\\]\\)`), about)
  }
}

/** Prometheus adds `job`. */
function mustKnow(
  about: string,
  metric: Metric,
  { name, label, values }: { readonly name: string; readonly label: string; readonly values: readonly string[] },
): void {
  if (label === 'job') {
    assert.deepEqual(values, ['tocsin'], about)
    return
  }
  assert.ok(metric.labels.has(label), `${about} has no label ${label}`)
  const table: Readonly<Record<string, { labels: Readonly<Record<string, readonly string[] | null>> }>> = counters
  const known = table[name.replace(/^tocsin_/, '')]?.labels[label]
  for (const value of values) assert.ok(known?.includes(value) ?? true, `${about}: ${label} is never ${value}`)
}
