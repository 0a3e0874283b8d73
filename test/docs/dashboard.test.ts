import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exposed, metricsIn, mustBeSound, read } from './prometheus.ts'

type Panel = {
  readonly id: number
  readonly type: 'row' | 'stat' | 'timeseries'
  readonly title: string
  readonly description?: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
}

const dashboard = JSON.parse(await read('grafana/tocsin.json'))
const panels: readonly Panel[] = dashboard.panels

/** As Prometheus gets it. Grafana replaces its variables, and `instance` is a label that Prometheus adds. */
const asAsked = (expr: string): string =>
  expr
    .replaceAll('$__rate_interval', '1m')
    .replaceAll(/(, )?instance=~"\$instance"/g, '')
    .replaceAll('{}', '')

test('every panel asks for metrics, labels and values that the service has', async (t) => {
  const { shown } = await exposed(t)
  const asked = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const))
  for (const [title, expr] of [...asked, ['restarts', dashboard.annotations.list[0].expr] as const]) {
    assert.match(expr, /instance=~"\$instance"/, title)
    mustBeSound(title, asAsked(expr), shown)
  }
  assert.ok(asked.length > 40)
  // The control: a metric that is not there.
  assert.throws(() => mustBeSound('control', 'sum(tocsin_open_alarms)', shown), /which is not there/)
})

test('legends name only labels that the expression keeps', async (t) => {
  const { shown } = await exposed(t)
  const metrics = metricsIn(shown)
  for (const { title, targets = [] } of panels) {
    for (const { expr, legendFormat } of targets) {
      const kept = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(', ')
      const [, name = ''] = /\b((?:tocsin|process|nodejs)_\w+)/.exec(expr) ?? []
      const own = [...(metrics.get(name)?.labels ?? []), 'instance', 'modem']
      for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
        assert.ok((kept ?? (/^(sum|max)\(/.test(expr) ? [] : own)).includes(label!), `${title}: ${label}`)
      }
    }
  }
})

test('panels have a title, an explanation and a place of their own, alarms first', () => {
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  assert.deepEqual(
    panels.filter(({ type }) => type === 'row').map(({ title }) => title),
    [
      'Alarms',
      'From the press to the message',
      'Messages',
      'Canary and readiness',
      'Clients',
      'Store and disk',
      'Process',
    ],
  )
  const taken = new Set<string>()
  for (const { type, title, description, gridPos, targets } of panels) {
    assert.ok(title.length > 2)
    if (type !== 'row') {
      assert.ok(description !== undefined && description.length > 20, title)
      assert.ok(targets !== undefined && targets.length > 0, title)
    }
    const { x, y, w, h } = gridPos
    assert.ok(x + w <= 24, title)
    for (let across = x; across < x + w; across += 1) {
      for (let down = y; down < y + h; down += 1) {
        assert.ok(!taken.has(`${across} ${down}`), `${title} overlaps another panel`)
        taken.add(`${across} ${down}`)
      }
    }
  }
})

test('the data source is chosen at the import, and no address or account is in the file', () => {
  const { list } = dashboard.templating
  assert.deepEqual(
    list.map(({ name, type }: { name: string; type: string }) => `${name} ${type}`),
    ['datasource datasource', 'instance query'],
  )
  assert.doesNotMatch(JSON.stringify(dashboard), /https?:\/\//)
})
