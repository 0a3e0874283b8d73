import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const src = join(root, 'src')

/**
 * A file's room: `core`, `adapters/inbound/http`, or for a file that stands alone its name (`main`, `service`,
 * `config`).
 */
function roomOf(path: string): string {
  const [first = '', side = '', room = '', ...deeper] = path.replace(/\.ts$/, '').split('/')
  return first === 'adapters' && deeper.length > 0 ? `${first}/${side}/${room}` : first
}

/** The rooms that a room may import from, besides its own. */
function mayImport(room: string): (imported: string) => boolean {
  const from =
    (...allowed: readonly string[]) =>
    (imported: string) =>
      allowed.includes(imported)
  if (room.startsWith('adapters/outbound/')) return from('app', 'ports', 'core', 'lib', 'adapters/outbound/http')
  if (room.startsWith('adapters/stores/')) return from('app', 'ports', 'core', 'lib', 'adapters/stores/shared')
  if (room.startsWith('adapters/inbound/')) return from('app', 'ports', 'core', 'lib', 'adapters/inbound/door')
  if (room.startsWith('adapters/')) return from('app', 'ports', 'core', 'lib')
  switch (room) {
    case 'core':
    case 'lib':
      return from()
    case 'ports':
    case 'config':
      return from('core')
    case 'app':
      return from('core', 'ports')
    case 'cli':
    case 'main':
    case 'service':
      return () => true
    default:
      throw new Error(`nothing is said about the room ${room}`)
  }
}

/** Packages that the inner rooms may use: libraries without side effects. Everything else is passed to them. */
const outside: Readonly<Record<string, readonly string[]>> = {
  core: ['zod', 'node:crypto'],
  ports: [],
  app: [],
}

/** Everything that a file imports or exports from, including `import()` and `import type`. */
const importsOf = (code: string): readonly string[] =>
  [...code.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g)].map((match) => match[1]!)

/** Constants, waits and a bounded map, open to every room, and where the files of this version are. */
const COMMON: readonly string[] = ['lib/bounded-map.ts', 'lib/durations.ts', 'lib/waits.ts', 'lib/installation.ts']

/** The import violations of the file at `path` (below src), in words. */
function breaches(path: string, code: string): readonly string[] {
  const room = roomOf(path)
  const allowed = mayImport(room)
  return importsOf(code).flatMap((imported) => {
    const target = imported.startsWith('.') ? posix.normalize(posix.join(dirname(path), imported)) : imported
    const isOurs = imported.startsWith('.') && !target.startsWith('..')
    const other = isOurs ? roomOf(target) : null
    const fine =
      other === null
        ? (outside[room]?.includes(target) ?? true)
        : other === room || COMMON.includes(target) || allowed(other)
    return fine ? [] : [`${path} imports ${target}`]
  })
}

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts'))
const files = filesIn(src)

test('every file imports only from rooms that its own may know', () => {
  assert.ok(files.length > 50)
  assert.deepEqual(
    files.flatMap((path) => breaches(path, readFileSync(join(src, path), 'utf8'))),
    [],
  )
})

/** What a thread that starts with this file loads from outside, by the imports that are left when it runs. */
function loadedWith(path: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(path)) return []
  seen.add(path)
  const code = readFileSync(join(src, path), 'utf8').replaceAll(/^(?:import|export) type [^;]*?from '[^']*'$/gm, '')
  return importsOf(code).flatMap((imported) =>
    imported.startsWith('.') ? loadedWith(posix.normalize(posix.join(dirname(path), imported)), seen) : [imported],
  )
}

for (const thread of ['writer/writer-thread.ts', 'upkeep/figures-thread.ts', 'upkeep/quick-check-thread.ts']) {
  test(`${thread} loads no library but that of the database, since every start waits for it`, () => {
    const loaded = loadedWith(`adapters/stores/sqlite/${thread}`).filter((name) => !name.startsWith('node:'))
    assert.deepEqual([...new Set(loaded)], ['better-sqlite3'])
  })
}

/** Import cycles, including those of types: each as the files that lead from one of them back to it. */
function circlesIn(imports: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const circles: string[] = []
  const done = new Set<string>()
  const follow = (path: string, way: readonly string[]): void => {
    const at = way.indexOf(path)
    if (at >= 0) circles.push([...way.slice(at), path].join(' → '))
    if (at >= 0 || done.has(path)) return
    for (const next of imports.get(path) ?? []) follow(next, [...way, path])
    done.add(path)
  }
  for (const path of imports.keys()) follow(path, [])
  return circles
}

/** Our files that the one at `path` imports. */
const near = (path: string, folder = src): readonly string[] =>
  importsOf(readFileSync(join(folder, path), 'utf8'))
    .filter((imported) => imported.startsWith('.'))
    .map((imported) => posix.normalize(posix.join(dirname(path), imported)))

for (const folder of [src, join(root, 'sdk/src')]) {
  test(`no file of ${relative(root, folder)} imports itself through others`, () => {
    const imports = new Map(filesIn(folder).map((path) => [path, near(path, folder)]))
    assert.ok(imports.size > 20)
    assert.deepEqual(circlesIn(imports), [])
  })
}

const STORES = ['adapters/stores/sqlite', 'adapters/stores/postgres']

/** Floors whose rooms, folders and single files, import each other in one direction only. */
for (const floor of ['app', 'core', ...STORES]) {
  test(`no room of ${floor} imports itself through others`, () => {
    const imports = roomsOf(floor)
    assert.ok(imports.size > 5)
    assert.deepEqual(circlesIn(imports), [])
  })
}

/** The rooms of a floor, each with the others that it imports. */
function roomsOf(floor: string): ReadonlyMap<string, readonly string[]> {
  const room = (path: string): string | undefined =>
    path.startsWith(`${floor}/`) ? path.slice(floor.length + 1).split('/')[0] : undefined
  const imports = new Map<string, string[]>()
  for (const path of files) {
    const own = room(path)
    if (own === undefined) continue
    const others = near(path).flatMap((other) => room(other) ?? [])
    imports.set(own, [...(imports.get(own) ?? []), ...others.filter((other) => other !== own)])
  }
  return imports
}

/** The files of `stores/shared` that concern no noun. */
const SHARED_BY_ENGINES = ['columns', 'commit-limits', 'departure', 'fair-lane', 'migrations', 'quotas', 'site-tables']

for (const store of STORES) {
  test(`the engine of ${store} knows no noun`, () => {
    assert.deepEqual(roomsOf(store).get('engine'), [])
    const shared = files
      .filter((path) => path.startsWith(`${store}/engine/`))
      .flatMap((path) => near(path).filter((other) => other.startsWith('adapters/stores/shared/')))
      .map((path) => posix.basename(path, '.ts'))
    assert.deepEqual(
      [...new Set(shared)].filter((name) => !SHARED_BY_ENGINES.includes(name)),
      [],
    )
  })
}

test('control: a cycle is found wherever it begins, and two paths to the same file are not one', () => {
  const of = (imports: Readonly<Record<string, readonly string[]>>) => circlesIn(new Map(Object.entries(imports)))
  assert.deepEqual(of({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }), [])
  assert.deepEqual(of({ a: ['b'], b: ['c'], c: ['b'] }), ['b → c → b'])
})

/** Each language has one table for the texts and one for the tracking page. */
const LANGUAGES = ['de', 'en', 'es', 'fr', 'it']

/** The adapters of one port are alike, and no file sees more than one of them: a name is once in each. */
const isOncePerStore = (paths: ReadonlySet<string>): boolean =>
  STORES.every((store) => [...paths].filter((path) => roomOf(path) === store).length === 1) &&
  paths.size === STORES.length

test('an exported name is declared in one file only', () => {
  const homes = new Map<string, Set<string>>()
  for (const path of files) {
    const declared = readFileSync(join(src, path), 'utf8').matchAll(
      /^export (?:async )?(?:type|const|function\*?|class) (\w+)/gm,
    )
    for (const [, name = ''] of declared) homes.set(name, (homes.get(name) ?? new Set()).add(path))
  }
  const shared = [...homes].filter(
    ([name, paths]) => paths.size > 1 && !LANGUAGES.includes(name) && !isOncePerStore(paths),
  )
  assert.ok(homes.size > 800)
  assert.deepEqual(
    shared.map(([name, paths]) => `${name}: ${[...paths].join(', ')}`),
    [],
  )
})

const LONG = 300

test(`a file of more than ${LONG} lines says at its top why it is one file`, () => {
  const silent = files.filter((path) => {
    const lines = readFileSync(join(src, path), 'utf8').split('\n')
    return lines.length > LONG + 1 && !lines[0]!.startsWith('// One file')
  })
  assert.deepEqual(silent, [])
  const style = fileURLToPath(new URL('../console/style', import.meta.url))
  const sheets = readdirSync(style).filter(
    (name) => readFileSync(join(style, name), 'utf8').split('\n').length > LONG + 1,
  )
  assert.deepEqual(sheets, [])
})

const control: readonly (readonly [path: string, code: string, breached: boolean])[] = [
  ['core/incident/incident.ts', `import { isoAt } from '../ingest/event-time.ts'`, false],
  ['core/text/en.ts', `import type { Phrases } from '../phrases.ts'`, false],
  ['core/ingest/payload.ts', `import { MINUTE } from '../../lib/durations.ts'`, false],
  ['core/ingest/payload.ts', `import { ownFile } from '../../lib/own-file.ts'`, true],
  ['core/incident/incident.ts', `import { z } from 'zod'`, false],
  ['core/incident/incident.ts', `import type { Store } from '../../ports/store.ts'`, true],
  ['core/incident/incident.ts', `import { readFileSync } from 'node:fs'`, true],
  ['core/text/en.ts', `export { tracking } from '../../app/answers/tracking.ts'`, true],
  ['ports/store.ts', `import type {\n  Incident,\n} from '../core/incident/incident.ts'`, false],
  ['ports/store.ts', `import { tracking } from '../app/answers/tracking.ts'`, true],
  ['app/answers/tracking.ts', `import type { Clock } from '../../ports/clock.ts'`, false],
  ['app/answers/tracking.ts', `import { createIds } from '../../adapters/platform/system/ids.ts'`, true],
  ['app/answers/tracking.ts', `const { openStore } = await import('../../adapters/stores/sqlite/open-store.ts')`, true],
  ['app/answers/tracking.ts', `import '../../config.ts'`, true],
  ['app/answers/tracking.ts', `import { setTimeout } from 'node:timers/promises'`, true],
  ['adapters/inbound/http/sdk/sos.ts', `import { answer } from '../problem.ts'`, false],
  ['adapters/inbound/http/sdk/sos.ts', `import { raiseSos } from '../../../../app/ingest/raise-sos.ts'`, false],
  ['adapters/inbound/http/app.ts', `import fastify from 'fastify'`, false],
  [
    'adapters/inbound/http/documents/openapi.ts',
    `import description from '../../../../../package.json' with { type: 'json' }`,
    false,
  ],
  ['core/text/en.ts', `import description from '../../../package.json' with { type: 'json' }`, true],
  ['adapters/inbound/http/app.ts', `import { createIds } from '../../platform/system/ids.ts'`, true],
  ['adapters/inbound/http/sdk/sos.ts', `import { createIds } from '../../../platform/system/ids.ts'`, true],
  ['adapters/inbound/http/app.ts', `import type { Config } from '../../../config.ts'`, true],
  ['adapters/inbound/http/app.ts', `import { startService } from '../../../service.ts'`, true],
  ['adapters/outbound/webhook/http-notifiers.ts', `import { isBlockedTarget } from '../http/address-guard.ts'`, false],
  ['adapters/inbound/http/app.ts', `import { isBlockedTarget } from '../../outbound/http/address-guard.ts'`, true],
  ['config.ts', `import { configSchema } from './config/schema.ts'`, false],
  ['config/schema.ts', `import { defaultSettings } from '../core/incident/settings.ts'`, false],
  ['config/schema.ts', `import { createIds } from '../adapters/platform/system/ids.ts'`, true],
  ['cli/app.ts', `import { isBlockedTarget } from '../adapters/outbound/http/address-guard.ts'`, false],
  ['service.ts', `import { openStore } from './adapters/stores/sqlite/open-store.ts'`, false],
]
for (const [path, code, breached] of control) {
  test(`the rule ${breached ? 'is broken' : 'is kept'} by ${path} with ${code.replaceAll('\n', ' ')}`, () => {
    assert.equal(breaches(path, code).length, breached ? 1 : 0)
  })
}

test('a room missing from the rule is reported', () => {
  assert.throws(() => breaches('helpers/things.ts', ''))
})

const consoleDir = fileURLToPath(new URL('../console', import.meta.url))
const SERVICE = /(?:^|\n)import (type )?[^'"]*?['"]([^'"]*\/src\/[^'"]*)['"]/g
/**
 * What the console's bundle has of the service: how coordinates and lengths of time are written, for which two
 * pages must not differ, what readiness finds, what is on a card and quick replies, in words, which password is too
 * weak, the codes of countries, how people write time zones and numbers, and who is in which place of a head count
 * (`SOURCES` in platform/console/sources.ts). Its types come from the schemas of the operator API, and of the user's
 * readiness, which both have.
 */
const SHARED =
  /^src\/core\/(?:incident\/head-count|text\/(?:coordinates|elapsed|grammar|quick-replies|source-words)|readiness\/words|operator\/password|account\/(?:card-words|country-codes|time-zone|written-number))\.ts$/
const TYPES_OF =
  /^src\/adapters\/inbound\/http\/(?:operator\/(?:incidents\/)?[\w-]+\.ts|sdk\/readiness\.ts|map\/browser\/map\.js)$/

/** The import violations of a file of the console (path below it), in words. */
function bundleBreaches(path: string, code: string): readonly string[] {
  const allowed = [...code.matchAll(SERVICE)].filter(([, type, imported]) => {
    const target = posix.normalize(posix.join('console', dirname(path), imported!))
    return SHARED.test(target) || (type !== undefined && TYPES_OF.test(target))
  })
  const outside = importsOf(code).filter(
    (imported) =>
      imported.startsWith('.') && posix.normalize(posix.join('console', dirname(path), imported)).startsWith('src/'),
  )
  return outside.length === allowed.length ? [] : outside.map((imported) => `${path} imports ${imported}`)
}

test('the console takes types from the schemas of the operator API, and words that two pages share, of the service', () => {
  const ours = readdirSync(consoleDir, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    // Runs where the service does, and is in no bundle.
    .filter((path) => /\.tsx?$/.test(path) && path !== 'build.ts')
  assert.ok(ours.length > 30)
  assert.deepEqual(
    ours.flatMap((path) => bundleBreaches(path, readFileSync(join(consoleDir, path), 'utf8'))),
    [],
  )
})

const SCHEMAS = '../../src/adapters/inbound/http/operator/incidents/case.ts'
const bundleControl: readonly (readonly [path: string, code: string, breached: boolean])[] = [
  ['api/types.ts', `import type { z } from 'zod'\nimport type { caseSchema } from '${SCHEMAS}'`, false],
  ['api/types.ts', `import type {\n  boardItemSchema,\n  caseSchema,\n} from '${SCHEMAS}'`, false],
  ['api/types.ts', `import { caseSchema } from '${SCHEMAS}'`, true],
  ['api/types.ts', `import { type caseSchema } from '${SCHEMAS}'`, true],
  ['api/types.ts', `export type { caseSchema } from '${SCHEMAS}'`, true],
  ['api/types.ts', `const { caseSchema } = await import('${SCHEMAS}')`, true],
  ['api/types.ts', `import type { BoardItem } from '../../src/app/operator/board-item.ts'`, true],
  ['logic/age.ts', `import { MINUTE } from '../../src/lib/durations.ts'`, true],
  ['views/incident.tsx', `import { mgrs } from '../../src/core/text/coordinates.ts'`, false],
  ['views/incident.tsx', `import { en } from '../../src/core/text/en.ts'`, true],
]
for (const [path, code, breached] of bundleControl) {
  test(`the bundle ${breached ? 'takes too much' : 'is kept small'} by ${path} with ${code.replaceAll('\n', ' ')}`, () => {
    assert.equal(bundleBreaches(path, code).length, breached ? 1 : 0)
  })
}

const broker = 'adapters/inbound/broker/'

/** The layers of the broker, and which others each may know. `limits` holds numbers, and all but `wire` may know it. */
const layers: Readonly<Record<string, readonly string[]>> = {
  wire: [],
  limits: [],
  delivery: ['wire', 'limits'],
  session: ['wire', 'delivery', 'limits'],
  admission: ['wire', 'session', 'limits'],
  broker: ['wire', 'delivery', 'session', 'admission', 'limits'],
}

/** The import violations of a file of the broker (path below it), in words. */
function layerBreaches(path: string, code: string): readonly string[] {
  const layerOf = (file: string): string => file.replace(/\.ts$/, '').split('/')[0]!
  const own = layerOf(path)
  return importsOf(code).flatMap((imported) => {
    const target = imported.startsWith('.') ? posix.normalize(posix.join(broker, dirname(path), imported)) : imported
    const other = target.startsWith(broker) ? layerOf(target.slice(broker.length)) : null
    const fine =
      other !== null
        ? other === own || layers[own]!.includes(other)
        : target === 'aedes'
          ? path === 'delivery/aedes.ts'
          : // Bytes and values: no sockets, no timers, nothing of the service.
            own !== 'wire' || ['node:buffer', 'mqtt-packet'].includes(target)
    return fine ? [] : [`${path} imports ${imported}`]
  })
}

test('each layer of the broker knows only those below it, and only one file knows Aedes', () => {
  const ours = files.filter((path) => path.startsWith(broker))
  assert.ok(ours.length > 20)
  assert.deepEqual(
    ours.flatMap((path) => layerBreaches(path.slice(broker.length), readFileSync(join(src, path), 'utf8'))),
    [],
  )
  const others = files.filter((path) => !path.startsWith(broker))
  assert.deepEqual(
    others.filter((path) => importsOf(readFileSync(join(src, path), 'utf8')).includes('aedes')),
    [],
  )
})

const layerControl: readonly (readonly [path: string, code: string, breached: boolean])[] = [
  ['wire/connect.ts', `import { Reason } from './frame.ts'`, false],
  ['wire/connect.ts', `import mqtt from 'mqtt-packet'`, false],
  ['wire/connect.ts', `import { defaultLimits } from '../limits.ts'`, true],
  ['wire/connect.ts', `import type { Session } from '../../../../core/account/session.ts'`, true],
  ['wire/connect.ts', `import type { Socket } from 'node:net'`, true],
  ['delivery/outgoing.ts', `import type { Connect } from '../wire/connect.ts'`, false],
  ['delivery/aedes.ts', `import { Aedes } from 'aedes'`, false],
  ['delivery/aedes.ts', `import type { Gate } from '../session/gate.ts'`, true],
  ['session/inbound.ts', `import type { Client } from 'aedes'`, true],
  ['session/gate.ts', `import { Outgoing } from '../delivery/outgoing.ts'`, false],
  ['session/gate.ts', `import type { Remote } from '../admission/remote.ts'`, true],
  ['admission/admit.ts', `import type { Gate } from '../session/gate.ts'`, false],
  ['admission/remote.ts', `import { createBroker } from '../broker.ts'`, true],
  ['broker.ts', `import { Admissions } from './admission/admit.ts'`, false],
]
for (const [path, code, breached] of layerControl) {
  test(`the layers are ${breached ? 'broken' : 'kept'} by ${path} with ${code}`, () => {
    assert.equal(layerBreaches(path, code).length, breached ? 1 : 0)
  })
}

const appDir = fileURLToPath(new URL('../webapp', import.meta.url))
/** What the app in the box has besides its own: the SDK as any app has it, and blocks of the console without words. */
const OF_APP = /^(?:sdk\/src\/index\.ts|console\/parts\/(?:blocks|icon|phone-number|qr)\.tsx)$/

/** The import violations of a file of the app in the box (path below it), in words. */
const appBreaches = (path: string, code: string): readonly string[] =>
  importsOf(code)
    .filter((imported) => imported.startsWith('.'))
    .map((imported) => posix.normalize(posix.join('webapp', dirname(path), imported)))
    .filter((target) => !target.startsWith('webapp/') && !OF_APP.test(target))
    .map((target) => `${path} imports ${target}`)

test('the app in the box takes the SDK as any app does, and blocks without words of the console', () => {
  const ours = readdirSync(appDir, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /\.tsx?$/.test(path) && path !== 'build.ts')
  assert.ok(ours.length > 5)
  assert.deepEqual(
    ours.flatMap((path) => appBreaches(path, readFileSync(join(appDir, path), 'utf8'))),
    [],
  )
  assert.equal(appBreaches('views/home.tsx', `import { Sos } from '../../sdk/src/sos/sos.ts'`).length, 1)
  assert.equal(appBreaches('views/home.tsx', `import { texts } from '../../console/state/language.ts'`).length, 1)
  assert.equal(appBreaches('views/home.tsx', `import { Tocsin } from '../../sdk/src/index.ts'`).length, 0)
})
