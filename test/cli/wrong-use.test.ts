import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { bin, commandLine, root, temporaryDirectory } from './command-line.ts'
import { program } from './program.ts'

/** What `--version` prints: version, commit, and the newest schema of each store. */
const ABOUT = /^\d+\.\d+\.\d+ \((a checkout|[0-9a-f]{12}); schema: SQLite \d+, PostgreSQL \d+\)\n$/

const UNKNOWN = '0190aaaa-0000-7000-8000-00000000dead'

const wrongUse: readonly (readonly [args: readonly string[], message: RegExp])[] = [
  [['app'], /is incomplete; see --help/],
  [['app', 'actuator'], /is incomplete; see --help/],
  [['ap'], /unknown command 'ap' \(Did you mean app\?\)/],
  [['app', 'list', '--frob'], /unknown option '--frob'/],
  [['app', 'list', 'extra'], /too many arguments/],
  [['app', 'show'], /missing required argument 'app'/],
  [['app', 'create'], /--name/],
  [['app', 'create', '--name', ' '], /must not be empty/],
  [['app', 'create', '--name', 'x'.repeat(201)], /at most 200 characters/],
  [['app', 'create', '--name', 'x', '--language', 'de_AT'], /BCP 47/],
  [['app', 'update', UNKNOWN], /nothing to change/],
  [['app', 'update', UNKNOWN, '--legacy', 'perhaps'], /must be on or off/],
  [['user', 'hash', UNKNOWN], /missing required argument 'external-id'/],
]

test('wrong use exits with 2 and one line on stderr', async (t) => {
  const { tocsin } = await commandLine(t)
  for (const [args, message] of wrongUse) {
    const { code, stdout, stderr } = await tocsin(...args)
    assert.deepEqual([code, stdout], [2, ''], args.join(' '))
    assert.match(stderr, /^error: [^\n]+\n$/)
    assert.match(stderr, message)
  }
})

test('without arguments it lists all commands', async (t) => {
  const { tocsin } = await commandLine(t)
  const { code, stdout, stderr } = await tocsin()
  assert.deepEqual([code, stderr], [0, ''])
  assert.match(stdout, /^Usage: tocsin /)
  const names = ['start', 'demo', 'app', 'user', 'device', 'incident', 'notify', 'outbox', 'dead-letter', 'feedback']
  for (const name of [...names, 'backup', 'restore', 'config', 'tls'])
    assert.match(stdout, new RegExp(`^  ${name} `, 'm'))
  assert.equal((await tocsin('--help')).stdout, stdout)
})

test('a command is found after options too, and loads no other command', async (t) => {
  const { tocsin } = await commandLine(t)
  const file = join(await temporaryDirectory(t), 'app')
  await writeFile(file, '')
  for (const args of [
    ['--config', file, 'incident', 'list'],
    ['--json', `--config=${file}`, 'incident', 'list'],
    ['incident', 'list', '--config', file],
    ['help', 'incident'],
  ]) {
    const { code, stderr } = await tocsin(...args)
    assert.deepEqual([code, stderr], [0, ''], args.join(' '))
  }
})

const failures: readonly (readonly [args: readonly string[], message: RegExp])[] = [
  [['app', 'show', UNKNOWN], /there is no application with this id/],
  [['app', 'show', 'hut'], /there is no application with this id or name/],
  [['app', 'update', UNKNOWN, '--name', 'x'], /there is no application with this id/],
  [['app', 'disable', UNKNOWN], /there is no application with this id/],
  [['app', 'rotate-secret', UNKNOWN], /there is no application with this id/],
  [['app', 'rotate-secret', UNKNOWN, '--retire'], /there is no application with this id/],
  [['app', 'actuator', 'set', UNKNOWN, 'emergency_contacts', '--rounds', '1'], /there is no application with this id/],
  [['app', 'actuator', 'remove', UNKNOWN, 'chat'], /there is no application with this id/],
  [['user', 'hash', UNKNOWN, 'x'], /there is no application with this id/],
  [['user', 'list', UNKNOWN], /there is no application with this id/],
  [['incident', 'show', UNKNOWN], /there is no incident with this id/],
  [['incident', 'show', 'nonsense'], /there is no incident with this id/],
  [['incident', 'resolve', UNKNOWN], /there is no incident with this id/],
  [['outbox', 'list', '--incident', UNKNOWN], /there is no incident with this id/],
  [['app', 'list', '--config', 'nowhere.yaml'], /nowhere\.yaml: file not found/],
]

test('a command that fails exits with 1 and one line on stderr', async (t) => {
  const { tocsin } = await commandLine(t)
  for (const [args, message] of failures) {
    const { code, stdout, stderr } = await tocsin(...args)
    assert.deepEqual([code, stdout], [1, ''], args.join(' '))
    assert.match(stderr, /^error: [^\n]+\n$/)
    assert.match(stderr, message)
  }
})

test('an unknown user is a failure with one sentence', async (t) => {
  const { tocsin, answer } = await commandLine(t)
  const { appId } = await answer('app', 'create', '--name', 'Hut')
  for (const command of ['show', 'disable', 'enable']) {
    const { code, stderr } = await tocsin('user', command, appId, 'nobody')
    assert.equal(code, 1)
    assert.match(stderr, /^error: the application has no such user[^\n]*\n$/)
  }
  const { code, stderr } = await tocsin('user', 'hash', appId, 'x'.repeat(129))
  assert.equal(code, 1)
  assert.match(stderr, /^error: an external user id must have 1 to 128 characters[^\n]*\n$/)
})

test('the real program ends in the same way', async (t) => {
  const { tocsin } = await program(t)
  for (const [args, code] of [
    [['app', 'show', UNKNOWN], 1],
    [['app', 'show'], 2],
    [['start', '--frob'], 2],
  ] as const) {
    const ended = await tocsin(...args)
    assert.deepEqual([ended.code, ended.stdout], [code, ''], args.join(' '))
    assert.match(ended.stderr, /^error: [^\n]+\n$/)
  }
})

test('an unusable data directory is a failure with one sentence', async (t) => {
  const file = join(await temporaryDirectory(t), 'a-file')
  await writeFile(file, '')
  const { tocsin } = await commandLine(t, { TOCSIN_DATA_DIR: file })
  const { code, stdout, stderr } = await tocsin('app', 'list')
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /^error: [^\n]+\n$/)
})

test('help and version succeed', async (t) => {
  const { tocsin } = await commandLine(t)
  const help = await tocsin('app', 'actuator', 'set', '--help')
  assert.deepEqual([help.code, help.stderr], [0, ''])
  assert.match(help.stdout, /--http-backoff-seconds/)
  assert.match(help.stdout, /--json/)
  const version = await tocsin('--version')
  assert.deepEqual([version.code, version.stderr], [0, ''])
  assert.match(version.stdout, ABOUT)
})

test('config check shows what start would do, without secrets', async (t) => {
  const { dataDir, answer, tocsin } = await commandLine(t, {
    TOCSIN_METRICS_TOKEN: 'very-secret',
    TOCSIN_MQTT_PORT: 'off',
  })
  const { valid, file, config } = await answer('config', 'check')
  assert.equal(valid, true)
  assert.equal(file === null || file.endsWith('tocsin.yaml'), true)
  assert.equal(config.dataDir, dataDir)
  assert.equal(config.metrics.token, '[secret]')
  const { code, stdout } = await tocsin('config', 'check')
  assert.equal(code, 0)
  assert.match(stdout, /^The configuration is valid\.$/m)
  assert.match(stdout, /^listeners +mqtts, http, https$/m)
})

test('config check names map files that cannot be used; the service starts without them', async (t) => {
  const { dataDir, answer } = await commandLine(t, { TOCSIN_MAP_OVERLAYS: 'huts.geojson, gone.geojson' })
  await writeFile(join(dataDir, 'huts.geojson'), '{"type":"Point","coordinates":[200,47]}')
  const { valid, warnings } = await answer('config', 'check')
  assert.equal(valid, true)
  assert.deepEqual(warnings, [
    `map.overlays: ${join(dataDir, 'huts.geojson')} is not usable: coordinates must be longitude and latitude in degrees (WGS 84)`,
    `map.overlays: ${join(dataDir, 'gone.geojson')} does not exist`,
  ])
})

test('every command lists all mistakes in one line; config check prints one a line, with its place', async (t) => {
  const { dataDir, tocsin } = await commandLine(t, { TOCSIN_HTTP_PORT: 'eighty' })
  const file = join(dataDir, 'site.yaml')
  await writeFile(file, 'log: { level: loud }\nhtpp: {}\n')
  const named = ['--config', file]
  const mistakes = [/log\.level \(line 1\): /, /htpp \(line 2\): /, /http\.port \(TOCSIN_HTTP_PORT\): /]
  for (const args of [['start'], ['app', 'list']]) {
    const { code, stdout, stderr } = await tocsin(...args, ...named)
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /^error: [^\n]+\n$/)
    for (const mistake of mistakes) assert.match(stderr, mistake)
  }
  const checked = await tocsin('config', 'check', ...named)
  assert.deepEqual([checked.code, checked.stdout], [1, ''])
  assert.deepEqual(
    checked.stderr.split('\n').map((line) => line.replace(file, 'FILE').replace(/(: must|: is).*/, '$1')),
    ['error: FILE:1: log.level: must', 'error: http.port (TOCSIN_HTTP_PORT): must', 'error: FILE:2: htpp: is', ''],
  )
  const { code, json } = await tocsin('config', 'check', '--json', ...named)
  assert.equal(code, 1)
  assert.equal(json.valid, false)
  assert.equal(json.file, file)
  assert.deepEqual(
    json.problems.map(({ key, variable, line }: any) => [key, variable, line]),
    [
      ['log.level', null, 1],
      ['http.port', 'TOCSIN_HTTP_PORT', null],
      ['htpp', null, 2],
    ],
  )
})

test('an older Node gets one line that says what to do', () => {
  const pretend = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', pretend, bin, 'start'], {
    encoding: 'utf8',
  })
  assert.deepEqual([status, stdout], [1, ''])
  assert.match(
    stderr,
    /^error: Tocsin needs Node 24, .*bin\/tocsin, npx tocsin and npm start use the one that npm ci installs in node_modules\n$/,
  )
})

test('npx tocsin works in the root of a checkout', () => {
  const { status, stdout, stderr } = spawnSync('npx', ['--offline', 'tocsin', '--version'], {
    cwd: root,
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
  assert.match(stdout, ABOUT)
})

test('a reader that has seen enough is no failure, an answer that cannot be written is one', {
  skip: !existsSync('/dev/full') && 'no /dev/full here',
}, () => {
  const run = (redirection: string) =>
    spawnSync('sh', ['-c', `"$0" "$1" app actuator set --help ${redirection}; echo $? >&2`, process.execPath, bin], {
      encoding: 'utf8',
    })
  assert.equal(run('| true').stderr, '0\n')
  assert.equal(run('> /dev/full').stderr, 'error: could not write the answer (ENOSPC)\n1\n')
})
