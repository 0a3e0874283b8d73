import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { suite, test } from 'node:test'
import { parse } from 'yaml'
import { counters, histograms } from '../../src/ports/meter.ts'
import { exposed, metricsOf, mustBeSound, namesIn, ofOthers, page, read, tableOf } from './prometheus.ts'

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

  test('use only metrics, labels, values and functions that there are', async (t) => {
    const { shown } = await exposed(t)
    for (const { alert, expr } of rules) mustBeSound(alert, expr, shown)
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
