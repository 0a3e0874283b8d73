import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { suite, type TestContext, test } from 'node:test'
import { parse } from 'yaml'
import { counters, histograms } from '../../src/ports/meter.ts'
import { startSite } from '../harness/site.ts'

const read = (name: string) => readFile(new URL(`../../docs/${name}`, import.meta.url), 'utf8')
const page = await read('reference/monitoring.md')

/** The cells of the rows of a section's table. The first cell is a name in code style. */
function tableOf(title: string): readonly (readonly string[])[] {
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

const namesIn = (cell: string): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1]!)

/** Gauges that a service on SQLite and without a modem, as in these tests, does not have. */
const ofOthers = tableOf('Metrics')
  .filter(([, , , meaning = '']) => /^(PostgreSQL|Modem): /.test(meaning))
  .map(([name = '', , labels = '']) => ({ name: namesIn(name)[0]!, labels: namesIn(labels) }))

type Metric = { readonly type: string; readonly labels: ReadonlySet<string> }

/**
 * The metrics in the Prometheus text `shown`, by name. Labels: those of all samples, except those of the format itself.
 */
function metricsIn(shown: string): ReadonlyMap<string, Metric> {
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

async function exposed(t: TestContext): Promise<{ shown: string; ours: Map<string, Metric> }> {
  text ??= textOf(t)
  const shown = await text
  const ours = new Map([...metricsIn(shown)].filter(([name]) => name.startsWith('tocsin_')))
  return { shown, ours }
}

test('the page lists exactly the metrics of the running service, with type and labels', async (t) => {
  const { ours } = await exposed(t)
  const described = tableOf('Metrics').map(([name = '', type, labels = '', meaning = '']) => {
    assert.ok(meaning.length > 10, `${name} is not explained`)
    return [namesIn(name)[0], type, ...namesIn(labels).toSorted()].join(' ')
  })
  const served = [...ours].map(([name, { type, labels }]) => [name, type, ...[...labels].toSorted()].join(' '))
  const elsewhere = ofOthers.map(({ name, labels }) => [name, 'gauge', ...labels].join(' '))
  assert.deepEqual(described.toSorted(), [...served, ...elsewhere].toSorted())
})

test('what the page says to be of PostgreSQL or of the modem are gauges of the code', async () => {
  const code = await readFile(new URL('../../src/service/gauges.ts', import.meta.url), 'utf8')
  for (const { name } of ofOthers) assert.ok(code.includes(`name: '${name.replace('tocsin_', '')}'`), name)
})

test('names follow the conventions of Prometheus', async (t) => {
  const { ours } = await exposed(t)
  for (const [name, { type }] of ours) {
    assert.match(name, /^tocsin_[a-z]+(_[a-z]+)*$/)
    assert.equal(name.endsWith('_total'), type === 'counter', `${name} is a ${type}`)
    assert.doesNotMatch(name, /_(ms|milliseconds|kb|mb|minutes|percent)(_|$)/)
    if (type === 'histogram') assert.match(name, /_seconds$/)
    // OpenMetrics drops a counter's suffix from its name.
    assert.ok(type !== 'counter' || !ours.has(name.replace(/_total$/, '')), name)
  }
})

test('every value of a closed label is on the page', () => {
  const section = page.split('\n## Metrics\n')[1] ?? ''
  const values = Object.values({ ...counters, ...histograms }).flatMap(({ labels }) =>
    Object.values(labels as Record<string, readonly string[] | null>).flatMap((closed) => closed ?? []),
  )
  const missing = [...new Set(values)].filter((value) => !section.includes(`\`${value}\``))
  assert.deepEqual(missing, [])
})

type Rule = {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

const rules: readonly Rule[] = (parse(await read('alert-rules.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
)

suite('the alert rules', () => {
  test('are groups of rules with a severity and a summary, each alert once', async () => {
    const { groups, ...others } = parse(await read('alert-rules.yml'))
    assert.deepEqual(others, {})
    for (const { name, interval, rules: own, ...rest } of groups) {
      assert.match(name, /^\w+$/)
      assert.match(interval, /^\d+[sm]$/)
      assert.ok(Array.isArray(own) && own.length > 0)
      assert.deepEqual(rest, {})
    }
    for (const { alert, expr, for: patience = '0s', labels, annotations, ...rest } of rules) {
      assert.match(alert, /^Tocsin[A-Z][A-Za-z]+$/)
      assert.ok(typeof expr === 'string' && /[<>]|==|absent/.test(expr), `${alert} compares nothing`)
      assert.match(patience, /^\d+[smh]$/)
      assert.deepEqual(Object.keys(labels), ['severity'])
      assert.ok(['critical', 'warning'].includes(labels.severity!), alert)
      assert.deepEqual(Object.keys(annotations), ['summary'])
      assert.ok(annotations.summary!.length > 10, alert)
      assert.deepEqual(rest, {})
    }
    assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length)
  })

  test('use only metrics, labels and values that the service has', async (t) => {
    const { shown } = await exposed(t)
    const elsewhere = ofOthers.map(({ name, labels }) => [name, { type: 'gauge', labels: new Set(labels) }] as const)
    const metrics = new Map([...metricsIn(shown), ...elsewhere])
    for (const { alert, expr } of rules) {
      const found = metricsOf(expr)
      assert.ok(found.length > 0, `${alert} asks for nothing`)
      for (const { sample, matchers } of found) {
        if (sample === 'up') continue
        const name = metrics.has(sample) ? sample : sample.replace(/_(bucket|sum|count)$/, '')
        const metric = metrics.get(name)
        assert.ok(metric, `${alert} asks for ${sample}, which is not there`)
        if (metric.type === 'histogram') assert.match(sample, /_(bucket|sum|count)$/, alert)
        for (const [label, values] of matchers) mustKnow(`${alert}: ${name}`, metric, { name, label, values })
      }
    }
  })

  test('are balanced expressions with functions that Prometheus has', () => {
    for (const { alert, expr } of rules) {
      const bare = expr.replace(/"[^"]*"/g, '""')
      for (const [open, close] of BRACKETS) {
        assert.equal(bare.split(open).length, bare.split(close).length, `${alert}: ${open}${close}`)
      }
      for (const [, name] of bare.matchAll(/\b([a-z_]+)\(/g))
        assert.ok(FUNCTIONS.includes(name!), `${alert}: ${name}()`)
      // A counter only ever grows, so it means nothing on its own.
      for (const { sample } of metricsOf(expr).filter((one) => /_(total|bucket)$/.test(one.sample))) {
        assert.match(bare, new RegExp(`(increase|rate)\\(${sample}(\\{[^}]*\\})?\\[\\d+[mhd]\\]\\)`), alert)
      }
    }
  })

  test('are all on the page, with their severity, and no others', () => {
    const explained = tableOf('What each alert means').map(([name = '', severity, meaning = '', remedy = '']) => {
      assert.ok(meaning.length > 20 && remedy.length > 5, `${name} is not explained`)
      return `${namesIn(name)[0]} ${severity}`
    })
    assert.deepEqual(explained.toSorted(), rules.map(({ alert, labels }) => `${alert} ${labels.severity}`).toSorted())
  })

  test('have summaries that use only labels which the expression keeps', () => {
    for (const { alert, expr, annotations } of rules) {
      for (const [, label] of annotations.summary!.matchAll(/\$labels\.(\w+)/g)) {
        const kept = [...expr.matchAll(/\bby \(([^)]*)\)/g)].map((match) => match[1]!.split(/, */))
        const own = metricsOf(expr).flatMap(({ sample }) => labelsOfGauges[sample] ?? [])
        const isKept = kept.length > 0 ? kept.every((names) => names.includes(label!)) : own.includes(label!)
        assert.ok(isKept, `${alert}: ${label}`)
      }
    }
  })

  /** Labels of gauges by which an alert has separate series. */
  const labelsOfGauges: Readonly<Record<string, readonly string[]>> = {
    tocsin_queue_oldest_seconds: ['channel'],
    tocsin_certificate_expiry_timestamp_seconds: ['certificate'],
  }
})

const BRACKETS = [
  ['(', ')'],
  ['{', '}'],
  ['[', ']'],
] as const
const FUNCTIONS = ['abs', 'absent', 'changes', 'histogram_quantile', 'increase', 'rate', 'time', 'sum']

type Asked = { readonly sample: string; readonly matchers: readonly (readonly [label: string, values: string[]])[] }

/** Every metric in an expression, with the label values it asks for. */
const metricsOf = (expr: string): readonly Asked[] =>
  [...expr.matchAll(/\b((?:tocsin|process|nodejs)_\w+|up)\b(?:\{([^}]*)\})?/g)].map(([, sample, matchers = '']) => ({
    sample: sample!,
    matchers: [...matchers.matchAll(/(\w+)(?:=~|!~|!=|=)"([^"]*)"/g)].map(
      ([, label, values]) => [label!, values!.split('|')] as const,
    ),
  }))

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
